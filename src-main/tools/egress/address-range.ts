// Where an IP address leads: this machine, a network that is not the internet, or the internet. IPv4
// addresses inside IPv6 addresses (mapped, NAT64, 6to4) are judged by the IPv4 address.
import { BlockList, isIPv4, isIPv6 } from 'node:net';

export type AddressRange = 'loopback' | 'private' | 'public';

/** Null for text that is not an IP address. */
export function rangeOf(address: string): AddressRange | null {
  const text = address.replace(/%.*$/, '');
  if (isIPv4(text)) return rangeOfIpv4(text);
  if (!isIPv6(text)) return null;
  const groups = groupsOf(text);
  const inner = innerIpv4(groups);
  if (inner !== null) return rangeOfIpv4(inner);
  if (groups.slice(0, 7).every((group) => group === 0) && groups[7] === 1) return 'loopback';
  return globalUnicast.check(text, 'ipv6') && !reserved.check(text, 'ipv6') ? 'public' : 'private';
}

function rangeOfIpv4(address: string): AddressRange {
  if (loopback.check(address)) return 'loopback';
  return reserved.check(address) ? 'private' : 'public';
}

/** The IPv4 address that this address stands for, if it is of a kind that stands for one. */
function innerIpv4(groups: readonly number[]): string | null {
  const [first, second] = groups;
  const zeros = groups.slice(0, 5).every((group) => group === 0);
  if (zeros && groups[5] === 0xffff) return dotted(groups[6], groups[7]);
  const isNat64 = first === 0x64 && second === 0xff9b;
  if (isNat64 && groups.slice(2, 6).every((group) => group === 0)) {
    return dotted(groups[6], groups[7]);
  }
  return first === 0x2002 ? dotted(second, groups[2]) : null;
}

function dotted(high = 0, low = 0): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups. The URL parser writes every spelling of an address in one way. */
function groupsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const parse = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [left, right] = [parse(head), parse(tail ?? '')];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** The special-purpose registries of IANA, except loopback. */
const reserved = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved, broadcast.
  ['224.0.0.0', 3],
] as const) {
  reserved.addSubnet(net, bits);
}
// Teredo and other protocol addresses, documentation.
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
] as const) {
  reserved.addSubnet(net, bits, 'ipv6');
}
