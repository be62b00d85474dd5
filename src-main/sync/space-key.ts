// The secret of a space: 32 bytes, created on first use, passed on by pairing, and stored with the
// secrets of the device.
import { randomBytes } from 'node:crypto';
import type { SecretStore } from '#main/secrets/secret-store.ts';

export interface SpaceKey {
  spaceKey(): Uint8Array;
}

/** Access to the key for pairing, in hex. */
export interface SpaceKeyExchange {
  export(): Promise<string>;
  import(key: string): Promise<void>;
}

const NAME = 'holdfast.space-key';
const BYTES = 32;

/** Throws `SecretMissing` when the key exists but can't be decrypted; a new one would split the space. */
export async function openSpaceKey(secrets: SecretStore): Promise<SpaceKey> {
  const names = await secrets.names();
  if (!names.includes(NAME)) await saveSpaceKey(secrets, randomBytes(BYTES));
  const key = Buffer.from(await secrets.get(NAME), 'hex');
  if (key.length !== BYTES) throw new Error(`The secret "${NAME}" is not a valid space key.`);
  return { spaceKey: () => key };
}

export function createSpaceKeyExchange(secrets: SecretStore): SpaceKeyExchange {
  return {
    export: async () => {
      const { spaceKey } = await openSpaceKey(secrets);
      return Buffer.from(spaceKey()).toString('hex');
    },
    import: (key) => saveSpaceKey(secrets, Buffer.from(key, 'hex')),
  };
}

/** A device with a new identity is not paired, so it must not keep the key of the old space. */
export function deleteSpaceKey(secrets: SecretStore): Promise<boolean> {
  return secrets.delete(NAME);
}

export function saveSpaceKey(secrets: SecretStore, key: Uint8Array): Promise<void> {
  return secrets.set(NAME, Buffer.from(key).toString('hex'));
}
