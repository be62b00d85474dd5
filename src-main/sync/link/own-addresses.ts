// The addresses of this device.
import { networkInterfaces } from 'node:os';
import { isIPv6 } from 'node:net';
import { formatAddress } from '#shared/sync/address.ts';
import { MAX_PEER_ADDRESSES } from '#shared/limits.ts';

const ANY = ['0.0.0.0', '::'];

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** `host` is the address that the server listens on. */
export function ownAddresses(host: string, port: number): string[] {
  if (!ANY.includes(host)) return [formatAddress({ host, port })];
  const hosts = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    // Link-local IPv6 needs an interface name, which differs between devices.
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address)
    .toSorted((a, b) => Number(isIPv6(a)) - Number(isIPv6(b)));
  const found = hosts.length === 0 ? ['127.0.0.1'] : hosts;
  return found
    .slice(0, MAX_PEER_ADDRESSES)
    .map((address) => formatAddress({ host: address, port }));
}
