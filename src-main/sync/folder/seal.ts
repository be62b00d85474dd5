// What lies in a shared folder can be read and made by devices of the space only: AES-256-GCM with
// a key that follows from the space's. `place` says what a piece is and where it belongs; a piece
// that was moved, renamed into another's or cut off does not open.
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

  /** A name that says nothing to others and is the same on all devices of the space. */
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

  /** Null: not ours, not this place, or not whole. */
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
