// Network addresses of devices as "host:port", with IPv6 hosts in brackets.
import { MAX_ADDRESS_LENGTH } from '#shared/limits.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

const ADDRESS = /^(?:\[([0-9a-fA-F:.]+(?:%[\w.-]+)?)\]|([\w.-]+)):(\d{1,5})$/;

export function parseAddress(text: string): Address | null {
  if (text.length > MAX_ADDRESS_LENGTH) return null;
  const match = ADDRESS.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host !== undefined && port >= 1 && port <= 65_535 ? { host, port } : null;
}

export function formatAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
