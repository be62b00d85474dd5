// The system keychain, for secrets. Electron's "basic_text" backend uses a fixed key and protects
// nothing, so secrets then stay in the owner-only file.
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
