// The hosts that a workflow may contact. Grants and addresses go through the same parser, which
// normalizes case, IDN, unusual IP notations and a trailing dot.
import { isIP } from 'node:net';
import { z } from 'zod';
import { rangeOf } from '#main/tools/egress/address-range.ts';
import { usualReach, type Reach } from '#main/tools/egress/guarded-lookup.ts';

interface HostPattern {
  readonly host: string;
  /** Every subdomain of `host`, not `host` itself. */
  readonly below: boolean;
  /** Null means the default port of the scheme. */
  readonly port: number | null;
  /** The name may have addresses that are not on the internet. */
  readonly private: boolean;
  /** Secrets may be sent to it without TLS. */
  readonly plainSecrets: boolean;
}

const hostName = z.string().max(300);

const hostPattern = z
  .union([
    hostName,
    z.strictObject({
      host: hostName,
      private: z.literal(true).optional(),
      plainSecrets: z.literal(true).optional(),
    }),
  ])
  .transform((given, context): HostPattern => {
    const entry = typeof given === 'string' ? { host: given } : given;
    const { host, private: isPrivate = false, plainSecrets = false } = entry;
    const place = parsePattern(host);
    if (place) return { ...place, private: isPrivate, plainSecrets };
    context.addIssue(
      `"${host}" is not a host. Use a form like api.example.org, *.example.org or 127.0.0.1:8080, without https:// and without a path.`,
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

/** The hosts that both grants cover. */
export function narrowHosts(one: unknown, other: unknown): { hosts: string[] } | null {
  const [a, b] = [(one as HostsGrant).hosts, (other as HostsGrant).hosts];
  const inBoth = [
    ...a.filter((pattern) => b.some((wider) => covers(wider, pattern))),
    ...b.filter((pattern) => a.some((wider) => covers(wider, pattern))),
  ];
  return inBoth.length === 0 ? null : { hosts: [...new Set(inBoth.map(spell))] };
}

function covers(wider: HostPattern, pattern: HostPattern): boolean {
  if (wider.port !== pattern.port) return false;
  if (wider.host === pattern.host) return wider.below === pattern.below;
  return wider.below && isBelow(pattern.host, wider.host);
}

export function isGranted(grant: HostsGrant, url: URL): boolean {
  return patternsOf(grant, url).length > 0;
}

/** The addresses that this grant allows for the host of the URL. */
export function reachOf(grant: HostsGrant, url: URL): Reach {
  return patternsOf(grant, url).some((pattern) => pattern.private)
    ? 'private'
    : usualReach(plainHost(url.hostname) ?? '');
}

/** Whether a secret sent to this address can't be read on the way, or the grant accepts that. */
export function maySendSecret(grant: HostsGrant, url: URL): boolean {
  const host = (plainHost(url.hostname) ?? '').replace(/^\[|\]$/g, '');
  return (
    url.protocol === 'https:' ||
    rangeOf(host) === 'loopback' ||
    reachOf(grant, url) === 'loopback' ||
    patternsOf(grant, url).some(({ plainSecrets }) => plainSecrets)
  );
}

function patternsOf(grant: HostsGrant, url: URL): HostPattern[] {
  const host = plainHost(url.hostname);
  if (host === null) return [];
  return grant.hosts.filter((pattern) => {
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

type Place = Pick<HostPattern, 'host' | 'below' | 'port'>;

function parsePattern(text: string): Place | null {
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

function spell(pattern: HostPattern): string {
  const { host, below, port } = pattern;
  const place = `${below ? '*.' : ''}${host}${port === null ? '' : `:${port}`}`;
  const extras = [
    ...(pattern.private ? ['also in the local network and on this machine'] : []),
    ...(pattern.plainSecrets ? ['with secrets unencrypted'] : []),
  ];
  return extras.length === 0 ? place : `${place} (${extras.join(', ')})`;
}
