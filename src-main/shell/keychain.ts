// The system keychain, for secrets. Electron's "basic_text" backend uses a fixed key and protects
// nothing, so secrets then stay in the owner-only file.
import { safeStorage } from 'electron';
import type { Keychain } from '#main/data-folder/open-keychain.ts';

/** Call it when the app is ready. */
export async function systemKeychain(): Promise<Keychain | undefined> {
  // Electron 42 returns a plain boolean, and crashes if anything is encrypted before it is true.
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return undefined;
  const isLinux = process.platform === 'linux';
  if (isLinux && safeStorage.getSelectedStorageBackend() === 'basic_text') return undefined;
  return {
    encrypt: async (plain) => (await safeStorage.encryptStringAsync(plain)).toString('base64'),
    decrypt: async (sealed) => {
      const { result } = await safeStorage.decryptStringAsync(Buffer.from(sealed, 'base64'));
      return result;
    },
  };
}
