// A device id is the hash of the device's public key, so only the holder of the key can prove the id.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** Without i, l, o and u, which are easily confused. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** 160 bits rule out a second key for an id and still fit into a link. */
const ID_BYTES = 20;

export const DEVICE_ID = /^[0-9a-hjkmnp-tv-z]{32}$/;

export interface KeyName {
  readonly deviceId: string;
  /** The full hash in hex, to which a paired device is pinned. */
  readonly keyHash: string;
}

/** `spki` is the public key as SubjectPublicKeyInfo in DER. */
export function nameOfKey(spki: Uint8Array): KeyName {
  const hash = sha256(spki);
  return { deviceId: base32(hash.subarray(0, ID_BYTES)), keyHash: bytesToHex(hash) };
}

export function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let buffer = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(buffer >> bits) & 31];
    }
    buffer &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET[(buffer << (5 - bits)) & 31];
}
