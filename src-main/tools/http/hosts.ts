// The hosts that a workflow may contact. Grants and addresses go through the same parser, which
// normalizes case, IDN, unusual IP notations and a trailing dot.
import { BlockList, isIP } from 'node:net';
import { z } from 'zod';

interface HostPattern {
  readonly host: string;
  /** Every subdomain of `host`, not `host` itself. */
  readonly below: boolean;
  /** Null means the default port of the scheme. */
  readonly port: number | null;
}

const hostPattern = z
  .string()
  .max(300)
  .transform((text, context): HostPattern => {
    const pattern = parsePattern(text);
    if (pattern) return pattern;
    context.addIssue(
      `"${text}" is not a host. Use a form like api.example.org, *.example.org or 127.0.0.1:8080, without https:// and without a path.`,
    );
    return z.NEVER;
  });

export const hostsGrant = z
  .strictObject({ hosts: z.array(hostPattern).min(1).max(200) })
  .meta({ examples: [{ hosts: ['api.example.org'] }] });
export type HostsGrant = z.infer<typeof hostsGrant>;

export function describeHosts(grant: HostsGrant): string {
  return `may contact ${grant.hosts.map(spell).join(', ')}`;
}

export function isGranted(grant: HostsGrant, url: URL): boolean {
  const host = plainHost(url.hostname);
  if (host === null) return false;
  return grant.hosts.some((pattern) => {
    const fits = pattern.below ? isBelow(host, pattern.host) : host === pattern.host;
    return fits && portOf(url) === (pattern.port ?? standardPort(url));
  });
}

/** The spelling used in grants. */
export function hostToGrant(url: URL): string {
  const host = plainHost(url.hostname) ?? url.hostname;
  return url.port === '' ? host : `${host}:${url.port}`;
}

/** Strips the root dot; null when a label is empty. */
export function plainHost(hostname: string): string | null {
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return host === '' || host.startsWith('.') || host.endsWith('.') || host.includes('..')
    ? null
    : host;
}

/** Addresses where plain HTTP stays off the internet: this machine and the local network. */
export function isNearby(url: URL): boolean {
  const host = (plainHost(url.hostname) ?? '').replace(/^\[|\]$/g, '');
  const family = isIP(host);
  if (family === 0) return host === 'localhost' || host.endsWith('.local');
  return nearby.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

const nearby = new BlockList();
nearby.addSubnet('127.0.0.0', 8, 'ipv4');
nearby.addSubnet('10.0.0.0', 8, 'ipv4');
nearby.addSubnet('172.16.0.0', 12, 'ipv4');
nearby.addSubnet('192.168.0.0', 16, 'ipv4');
nearby.addSubnet('169.254.0.0', 16, 'ipv4');
nearby.addAddress('::1', 'ipv6');
nearby.addSubnet('fc00::', 7, 'ipv6');
nearby.addSubnet('fe80::', 10, 'ipv6');

function parsePattern(text: string): HostPattern | null {
  const [, star, name, port] = /^(\*\.)?(.+?)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (name === undefined || /[/\\@?#*\s]/.test(name)) return null;
  const url = URL.parse(`http://${name}`);
  const host = url && plainHost(url.hostname);
  if (!host || url.port !== '' || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null;
  const below = star !== undefined;
  // IP addresses have no subdomains, and a wildcard below a top-level domain is too wide.
  if (below && (isAddress(host) || !host.includes('.'))) return null;
  return { host, below, port: port === undefined ? null : Number(port) };
}

function isBelow(host: string, parent: string): boolean {
  return host.endsWith(`.${parent}`) && !isAddress(host);
}

function isAddress(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, '')) !== 0;
}

function portOf(url: URL): number {
  return url.port === '' ? standardPort(url) : Number(url.port);
}

function standardPort(url: URL): number {
  return url.protocol === 'https:' ? 443 : 80;
}

function spell({ host, below, port }: HostPattern): string {
  return `${below ? '*.' : ''}${host}${port === null ? '' : `:${port}`}`;
}
