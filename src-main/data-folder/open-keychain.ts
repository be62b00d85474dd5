// The system's keychain answers asynchronously, but the host opens its data folder synchronously.
// So the desktop app first decrypts all that is sealed in the folder, and seals one private key in
// advance for a folder that needs a new one.
import { join } from 'node:path';
import { readSecretFile, SecretFileUnusable } from '#main/secrets/secret-file.ts';
import { SECRETS_FILE, type Cipher } from '#main/secrets/secret-store.ts';
import { DEVICE_KEY_FILE, newPrivateKey } from '#main/sync/link/device-key.ts';

/** Both directions as text. Either rejects if the system refuses. */
export interface Keychain {
  encrypt(plain: string): Promise<string>;
  decrypt(sealed: string): Promise<string>;
}

export async function openKeychain(dataDir: string, keychain: Keychain): Promise<Cipher> {
  const opened = new Map<string, string>();
  for (const sealed of sealedIn(dataDir)) {
    try {
      opened.set(sealed, await keychain.decrypt(sealed));
    } catch {
      // Sealed by another account or machine. The host says so when the value is needed.
    }
  }
  const encrypt = async (plain: string): Promise<string> => {
    const sealed = await keychain.encrypt(plain);
    opened.set(sealed, plain);
    return sealed;
  };
  const plain = newPrivateKey();
  let spareKey: { plain: string; sealed: string } | undefined = {
    plain,
    sealed: await encrypt(plain),
  };
  return {
    encrypt,
    decrypt: (sealed) => {
      const found = opened.get(sealed);
      if (found === undefined) throw new Error("The keychain can't decrypt this value.");
      return found;
    },
    takeSpareKey: () => {
      if (!spareKey) throw new Error('The spare private key is already in use.');
      const taken = spareKey;
      spareKey = undefined;
      return taken;
    },
  };
}

function sealedIn(dataDir: string): string[] {
  return [SECRETS_FILE, DEVICE_KEY_FILE].flatMap((file) => {
    try {
      const records = Object.values(readSecretFile(join(dataDir, file)));
      return records.filter(({ sealed }) => sealed).map(({ value }) => value);
    } catch (error) {
      // The host reports the file when it opens it.
      if (error instanceof SecretFileUnusable) return [];
      throw error;
    }
  });
}
