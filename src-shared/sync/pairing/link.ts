// The pairing link: the inviting device's addresses, its id and a one-time token. The id pins the key,
// so the token is proven only to that device.
import { parseAddress } from '#shared/sync/address.ts';
import { DEVICE_ID } from '#shared/sync/device-id.ts';
import { MAX_PEER_ADDRESSES } from '#shared/limits.ts';

export interface PairingLink {
  readonly deviceId: string;
  /** 128 bits, hex. */
  readonly token: string;
  readonly addresses: readonly string[];
}

const PREFIX = 'holdfast://pair?';
const VERSION = '1';
export const TOKEN = /^[0-9a-f]{32}$/;
export const MAX_LINK_LENGTH = 4000;

export function formatPairingLink({ deviceId, token, addresses }: PairingLink): string {
  const fields = [['v', VERSION], ['d', deviceId], ['t', token], ...addresses.map((a) => ['a', a])];
  return PREFIX + fields.map(([key, value]) => `${key}=${value}`).join('&');
}

export function parsePairingLink(text: string): PairingLink | 'bad-link' | 'version-too-old' {
  const link = text.trim();
  if (!link.startsWith(PREFIX) || link.length > MAX_LINK_LENGTH) return 'bad-link';
  const fields = readFields(link.slice(PREFIX.length));
  if (fields === null) return 'bad-link';
  const only = (key: string): string | null => {
    const found = fields.filter(([name]) => name === key);
    return found.length === 1 ? (found[0]?.[1] ?? null) : null;
  };
  const version = only('v');
  if (version !== VERSION) return /^\d{1,6}$/.test(version ?? '') ? 'version-too-old' : 'bad-link';
  const [deviceId, token] = [only('d'), only('t')];
  const addresses = fields.filter(([key]) => key === 'a').map(([, value]) => value);
  if (deviceId === null || !DEVICE_ID.test(deviceId)) return 'bad-link';
  if (token === null || !TOKEN.test(token)) return 'bad-link';
  if (addresses.length === 0 || addresses.length > MAX_PEER_ADDRESSES) return 'bad-link';
  if (!addresses.every((address) => parseAddress(address) !== null)) return 'bad-link';
  return { deviceId, token, addresses };
}

/** Holdfast writes links without percent encoding, but other programs may add it. */
function readFields(query: string): [string, string][] | null {
  try {
    return query.split('&').map((part) => {
      const at = part.indexOf('=');
      return [part.slice(0, Math.max(at, 0)), decodeURIComponent(part.slice(at + 1))];
    });
  } catch {
    return null;
  }
}
