// The keychain of the system, for secrets. Where Electron has only its own fixed key ("basic
// text"), sealing would be for show, and the owner-only file is as good.
import { safeStorage } from 'electron';
import type { Cipher } from '#main/secrets/secret-store.ts';

export function systemKeychain(): Cipher | undefined {
  if (!safeStorage.isEncryptionAvailable()) return undefined;
  const isLinux = process.platform === 'linux';
  if (isLinux && safeStorage.getSelectedStorageBackend() === 'basic_text') return undefined;
  return {
    encrypt: (plain) => safeStorage.encryptString(plain).toString('base64'),
    decrypt: (sealed) => safeStorage.decryptString(Buffer.from(sealed, 'base64')),
  };
}
