// Encrypts stored replies and hashes request bodies with a key from outside the database, so that a
// copy of the database reveals neither.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface ReplyCipher {
  hash(text: string): string;
  encrypt(text: string): Uint8Array;
  /** Undefined if it was encrypted with another key. */
  decrypt(encrypted: Uint8Array): string | undefined;
}

export function createReplyCipher(secret: string): ReplyCipher {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, '', `holdfast idempotency ${purpose}`, 32));
  const cipherKey = derive('answer');
  const hashKey = derive('body');
  return {
    hash: (text) => createHmac('sha256', hashKey).update(text).digest('hex'),
    encrypt(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    decrypt(encrypted) {
      const bytes = Buffer.from(encrypted);
      try {
        const nonce = bytes.subarray(0, NONCE_BYTES);
        const decipher = createDecipheriv('aes-256-gcm', cipherKey, nonce, {
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
