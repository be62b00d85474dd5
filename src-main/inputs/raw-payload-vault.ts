// Seals payloads as they were received, and opens them for the person. The key is stored with
// Holdfast's own secrets, apart from the database, so no copy of the database can be read with it alone.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { SecretMissing } from '#main/secrets/secret-missing.ts';
import type { SecretStore } from '#main/secrets/secret-store.ts';
import type { RawPayloadStore, SealedPayload } from '#main/store/tables/raw-payloads.ts';
import type { SettingsStore } from '#main/store/tables/settings.ts';
import { ApiError } from '#shared/api/errors.ts';
import { RETENTION_BATCH } from '#shared/limits.ts';

const KEY_NAME = 'holdfast.raw-payload-key';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

export interface RawPayload {
  readonly text: string;
  readonly bytes: number;
}

export interface RawPayloadVaultOptions {
  readonly secrets: SecretStore;
  readonly store: RawPayloadStore;
  readonly settings: SettingsStore;
  readonly log: Pick<Logger, 'warn'>;
}

/** A device with a new identity doesn't keep the key of the former one. */
export function deleteRawPayloadKey(secrets: SecretStore): Promise<boolean> {
  return secrets.delete(KEY_NAME);
}

export class RawPayloadVault {
  readonly #options: RawPayloadVaultOptions;
  #key: Key | null = null;
  #opening: Promise<void> | undefined;
  #hasWarned = false;

  constructor(options: RawPayloadVaultOptions) {
    this.#options = options;
  }

  /** Loads the key, or creates it on first use. Never rejects: inputs don't depend on it. */
  ready(): Promise<void> {
    if (this.#key || this.#options.store.days === 0) return Promise.resolve();
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  /** Null when it is not to be stored, or can't be sealed. */
  readonly seal = (inputId: string, raw: Uint8Array): SealedPayload | null => {
    if (!this.#key || this.#options.store.days === 0) return null;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key.bytes, nonce);
    // Bound to its input: a row that was moved to another input can't be opened.
    cipher.setAAD(Buffer.from(inputId));
    const body = Buffer.concat([cipher.update(raw), cipher.final()]);
    const sealed = Buffer.concat([nonce, cipher.getAuthTag(), body]);
    return { bytes: raw.length, keyId: this.#key.id, sealed };
  };

  /** Throws `ApiError` with the reason when there is nothing to show. */
  async open(inputId: string): Promise<RawPayload> {
    const stored = this.#options.store.get(inputId);
    if (!stored) throw notStored(this.#options.store.days);
    const key = await this.#existingKey();
    if (key?.id !== stored.keyId) throw keyLost();
    const sealed = Buffer.from(stored.sealed);
    try {
      const decipher = createDecipheriv(ALGORITHM, key.bytes, sealed.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(inputId));
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const body = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
      const text = Buffer.concat([body, decipher.final()]).toString('utf8');
      return { text, bytes: stored.bytes };
    } catch {
      throw damaged();
    }
  }

  /** 0 stores none and deletes those that are stored. */
  async choose(days: number): Promise<void> {
    this.#options.settings.set('raw_payloads', { days });
    while (this.#options.store.deleteOld(RETENTION_BATCH) > 0) await setImmediate();
    await this.ready();
  }

  async #open(): Promise<void> {
    const { secrets, log } = this.#options;
    try {
      const names = await secrets.names();
      if (!names.includes(KEY_NAME)) {
        await secrets.set(KEY_NAME, randomBytes(KEY_BYTES).toString('hex'));
      }
      this.#key = toKey(await secrets.get(KEY_NAME));
    } catch (error) {
      // Tried again with the next input.
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      log.warn({ err: error }, 'raw payloads are not stored: their key is not available');
    }
  }

  /** Null when there is none. Throws `ApiError` when it can't be decrypted here. */
  async #existingKey(): Promise<Key | null> {
    try {
      return toKey(await this.#options.secrets.get(KEY_NAME));
    } catch (error) {
      if (!(error instanceof SecretMissing)) throw error;
      const names = await this.#options.secrets.names();
      if (names.includes(KEY_NAME)) throw keyUnavailable();
      return null;
    }
  }
}

function toKey(hex: string): Key {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length !== KEY_BYTES) throw new Error(`The secret "${KEY_NAME}" is not a valid key.`);
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 16), bytes };
}

function notStored(days: number): ApiError {
  const why =
    days === 0
      ? 'Storing raw payloads is off.'
      : `A raw payload is stored for ${days} ${days === 1 ? 'day' : 'days'}, only on the device that received it.`;
  return new ApiError({
    type: 'not_found',
    message: `The raw payload of this input is not on this device. ${why} The redacted payload is complete.`,
  });
}

function keyLost(): ApiError {
  return new ApiError({
    type: 'conflict',
    message:
      'The raw payload of this input is sealed with a key that is no longer on this device, so it can’t be shown. The input and its redacted payload are complete. New inputs are sealed with the current key.',
  });
}

function keyUnavailable(): ApiError {
  return new ApiError({
    type: 'conflict',
    message:
      'The key of raw payloads is encrypted with a keychain that is not available here, so this one can’t be shown. Nothing is lost. Open it in the desktop app.',
  });
}

function damaged(): ApiError {
  return new ApiError({
    type: 'conflict',
    message:
      'The sealed raw payload of this input is damaged and can’t be shown. The input and its redacted payload are complete.',
  });
}
