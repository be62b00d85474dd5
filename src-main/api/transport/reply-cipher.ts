// Seals what is kept of requests with a key that is not in the database: a copy of the database
// alone shows neither answers nor guesses at bodies.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface AnswerSeal {
  hash(text: string): string;
  seal(text: string): Uint8Array;
  /** Undefined: it was sealed with another key. */
  open(sealed: Uint8Array): string | undefined;
}

export function createAnswerSeal(secret: string): AnswerSeal {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, '', `holdfast idempotency ${purpose}`, 32));
  const sealKey = derive('answer');
  const hashKey = derive('body');
  return {
    hash: (text) => createHmac('sha256', hashKey).update(text).digest('hex'),
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    open(sealed) {
      const bytes = Buffer.from(sealed);
      try {
        const decipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const body = bytes.subarray(NONCE_BYTES + TAG_BYTES);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
