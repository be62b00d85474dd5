// Encrypts pieces in a shared folder with AES-256-GCM and a key derived from the space key, so that
// only devices of the space can read and write them. `place` is authenticated: a piece that was moved,
// renamed or truncated doesn't open.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { SpaceKey } from '#main/sync/space-key.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const TAG_LETTERS = 32;

export class Seal {
  readonly #sealing: Buffer;
  readonly #naming: Buffer;

  constructor(key: SpaceKey) {
    const derive = (use: string): Buffer =>
      Buffer.from(hkdfSync('sha256', key.spaceKey(), '', `holdfast folder 1 ${use}`, 32));
    this.#sealing = derive('sealing');
    this.#naming = derive('naming');
  }

  /** An opaque name that all devices of the space derive alike. */
  nameOf(kind: 'space' | 'device', id: string): string {
    return createHmac('sha256', this.#naming)
      .update(`${kind} ${id}`)
      .digest('hex')
      .slice(0, TAG_LETTERS);
  }

  close(plain: Uint8Array, place: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#sealing, nonce);
    cipher.setAAD(Buffer.from(place, 'utf8'));
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([nonce, sealed, cipher.getAuthTag()]);
  }

  /** Null when the key or the place is wrong, or the piece is damaged. */
  open(sealed: Uint8Array, place: string): Buffer | null {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
    const end = sealed.length - TAG_BYTES;
    const cipher = createDecipheriv('aes-256-gcm', this.#sealing, sealed.subarray(0, NONCE_BYTES));
    cipher.setAAD(Buffer.from(place, 'utf8'));
    cipher.setAuthTag(sealed.subarray(end));
    try {
      return Buffer.concat([cipher.update(sealed.subarray(NONCE_BYTES, end)), cipher.final()]);
    } catch {
      return null;
    }
  }
}
