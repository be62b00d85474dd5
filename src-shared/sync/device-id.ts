// The name of a device is the hash of its public key: whoever can prove the key is the device, and
// nobody else can be.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** Without i, l, o and u: read aloud or copied by hand, no letter is taken for another. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** 160 bits: nobody finds a second key for an id, and it still fits into a link. */
const ID_BYTES = 20;

export const DEVICE_ID = /^[0-9a-hjkmnp-tv-z]{32}$/;

export interface KeyName {
  readonly deviceId: string;
  /** The whole hash, in hex: what a paired device is pinned to. */
  readonly keyHash: string;
}

/** `spki`: the public key as X.509 writes it (SubjectPublicKeyInfo, DER). */
export function nameOfKey(spki: Uint8Array): KeyName {
  const hash = sha256(spki);
  return { deviceId: base32(hash.subarray(0, ID_BYTES)), keyHash: bytesToHex(hash) };
}

export function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET[(held << (5 - bits)) & 31];
}
