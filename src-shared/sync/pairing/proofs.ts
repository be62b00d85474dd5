// The proofs of pairing. Every proof is bound to both public keys, which TLS has authenticated, so it
// cannot be replayed on another connection.
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

export interface BothKeys {
  /** Hashes of the public keys, hex. */
  readonly joiner: string;
  readonly inviter: string;
}

export type Role = keyof BothKeys;

const DIGITS = 6;

/** Identifies an invitation without revealing its token. */
export function invitationId(token: string): string {
  return bytesToHex(sha256(message('holdfast invitation 1', token))).slice(0, 32);
}

/** Requires the token and is valid only for these two keys. */
export function tokenProof(token: string, keys: BothKeys): string {
  const text = message('holdfast token proof 1', keys.joiner, keys.inviter);
  return bytesToHex(hmac(sha256, hexToBytes(token), text));
}

/** Commits a side to its nonce before it sees the other's. The role prevents an echo. */
export function commitment(role: Role, nonce: string, keys: BothKeys): string {
  return bytesToHex(
    sha256(message('holdfast commitment 1', role, nonce, keys.joiner, keys.inviter)),
  );
}

/** Six digits that are equal on both sides unless an attacker is in between (chance of one in a million). */
export function comparisonDigits(
  nonces: { readonly [role in Role]: string },
  keys: BothKeys,
): string {
  const hash = sha256(
    message('holdfast digits 1', keys.joiner, keys.inviter, nonces.joiner, nonces.inviter),
  );
  const number = new DataView(hash.buffer, hash.byteOffset).getBigUint64(0);
  return String(number % 10n ** BigInt(DIGITS)).padStart(DIGITS, '0');
}

/** Compares in constant time. */
export function isSameText(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let index = 0; index < one.length; index += 1) {
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  }
  return difference === 0;
}

function message(...parts: readonly string[]): Uint8Array {
  return utf8ToBytes(JSON.stringify(parts));
}
