// The secret that all devices of a space share: 32 bytes, given on when devices are paired, made at
// first use by a device that is not paired yet, and kept with the secrets of this device.
import { randomBytes } from 'node:crypto';
import type { SecretStore } from '#main/secrets/secret-store.ts';

export interface SpaceKey {
  spaceKey(): Uint8Array;
}

/** The key as pairing has it: given to who joins, taken from who invites. In hex. */
export interface SpaceKeyKeeper {
  give(): Promise<string>;
  take(key: string): Promise<void>;
}

const NAME = 'holdfast.space-key';
const BYTES = 32;

/** Throws `SecretMissing` where there is a key that cannot be opened: another one would split the space. */
export async function openSpaceKey(secrets: SecretStore): Promise<SpaceKey> {
  const names = await secrets.names();
  if (!names.includes(NAME)) await keepSpaceKey(secrets, randomBytes(BYTES));
  const key = Buffer.from(await secrets.get(NAME), 'hex');
  if (key.length !== BYTES) throw new Error(`The secret "${NAME}" is no key of a space.`);
  return { spaceKey: () => key };
}

export function createSpaceKeyKeeper(secrets: SecretStore): SpaceKeyKeeper {
  return {
    give: async () => {
      const { spaceKey } = await openSpaceKey(secrets);
      return Buffer.from(spaceKey()).toString('hex');
    },
    take: (key) => keepSpaceKey(secrets, Buffer.from(key, 'hex')),
  };
}

/** A device with a new identity is paired with nobody: the key is not its own. */
export function forgetSpaceKey(secrets: SecretStore): Promise<boolean> {
  return secrets.delete(NAME);
}

/** What pairing brought. */
export function keepSpaceKey(secrets: SecretStore, key: Uint8Array): Promise<void> {
  return secrets.set(NAME, Buffer.from(key).toString('hex'));
}
