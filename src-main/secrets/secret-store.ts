// Secrets by name, stored on this device only. The desktop app encrypts values with the system
// keychain; without one they are in an owner-only file.
import { join } from 'node:path';
import type { Masker } from '#main/secrets/masker.ts';
import {
  readSecretFile,
  stampOf,
  writeSecretFile,
  type SecretRecords,
} from '#main/secrets/secret-file.ts';
import { SecretMissing } from '#main/secrets/secret-missing.ts';

export interface SecretStore {
  /** Throws `SecretMissing`. */
  get(name: string): Promise<string>;
  set(name: string, value: string): Promise<void>;
  /** False if there was no such secret. */
  delete(name: string): Promise<boolean>;
  names(): Promise<string[]>;
}

/** The system keychain; both sides are text. */
export interface Cipher {
  encrypt(plain: string): Promise<string>;
  /** Throws for a text that was sealed elsewhere. */
  decrypt(sealed: string): string;
  /** A private key for this device, sealed in advance. It can be taken once. */
  takeSpareKey(): { readonly plain: string; readonly sealed: string };
}

export interface SecretStoreOptions {
  readonly dataDir: string;
  readonly masker: Masker;
  readonly cipher?: Cipher | undefined;
}

export class SecretRefused extends Error {
  constructor(why: string) {
    super(`${why} Nothing was changed.`);
    this.name = 'SecretRefused';
  }
}

export const SECRETS_FILE = 'secrets.json';

const NAME = /^[A-Za-z][\w.-]{0,99}$/;
const MAX_VALUE_LENGTH = 64 * 1024;

export function openSecretStore({ dataDir, masker, cipher }: SecretStoreOptions): SecretStore {
  const path = join(dataDir, SECRETS_FILE);
  let records: SecretRecords = {};
  let stamp = '';
  /** Sealing takes time, and calls must take effect in the order in which they were made. */
  let last: Promise<unknown> = Promise.resolve();

  /** Reads the file again if another process changed it. */
  function refresh(): SecretRecords {
    const now = stampOf(path);
    if (now === stamp) return records;
    records = readSecretFile(path);
    stamp = stampOf(path);
    for (const name of Object.keys(records)) {
      const value = decrypt(name);
      if (value !== null) masker.learn(name, value);
    }
    return records;
  }

  function decrypt(name: string): string | null {
    const record = records[name];
    if (!record) return null;
    if (!record.sealed) return record.value;
    try {
      return cipher?.decrypt(record.value) ?? null;
    } catch {
      return null;
    }
  }

  function write(changed: SecretRecords): void {
    writeSecretFile(path, changed);
    stamp = '';
    refresh();
  }

  function inOrder<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  refresh();
  return {
    get: (name) =>
      inOrder(() => {
        const known = Object.hasOwn(refresh(), name);
        const value = known ? decrypt(name) : null;
        if (value !== null) return value;
        throw known
          ? new SecretMissing(
              name,
              `The secret "${name}" is encrypted with a keychain that is not available here.`,
            )
          : new SecretMissing(name);
      }),
    async set(name, value) {
      checkSecret(name, value);
      masker.learn(name, value);
      await inOrder(async () => {
        const record = cipher
          ? { value: await cipher.encrypt(value), sealed: true }
          : { value, sealed: false };
        write({ ...refresh(), [name]: record });
      });
    },
    delete: (name) =>
      inOrder(() => {
        const { [name]: gone, ...rest } = refresh();
        if (gone) write(rest);
        return gone !== undefined;
      }),
    names: () => inOrder(() => Object.keys(refresh()).toSorted()),
  };
}

function checkSecret(name: string, value: string): void {
  if (!NAME.test(name)) {
    throw new SecretRefused(
      'The name of a secret must begin with a letter and contain only letters, digits, ".", "_" and "-", at most 100.',
    );
  }
  if (value === '') throw new SecretRefused(`The value of "${name}" is empty.`);
  if (value.length > MAX_VALUE_LENGTH || !value.isWellFormed() || value.includes('\0')) {
    throw new SecretRefused(`The value of "${name}" is too long or not valid text.`);
  }
}
