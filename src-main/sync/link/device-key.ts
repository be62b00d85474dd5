// The private key of this device, encrypted by the system keychain where there is one, else in a file
// that only the user can read. It is apart from the secrets of workflows, and never in the database,
// so it is in no backup and on no peer.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { join } from 'node:path';
import { readSecretFile, SecretFileUnusable, writeSecretFile } from '#main/secrets/secret-file.ts';
import type { Cipher } from '#main/secrets/secret-store.ts';
import { selfSign } from '#main/sync/link/certificate.ts';
import { nameOfKey, type KeyName } from '#shared/sync/device-id.ts';

const KEY = 'device';

export const DEVICE_KEY_FILE = 'device-key.json';

export interface DeviceKey extends KeyName {
  /** PEM. */
  readonly certificate: string;
  /** Null when only the keychain of the desktop app can decrypt it. */
  readonly privateKey: KeyObject | null;
}

/** PEM. */
export function newPrivateKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

export function makeDeviceKey(dir: string, cipher: Cipher | undefined): DeviceKey {
  const spare = cipher?.takeSpareKey();
  const text = spare?.plain ?? newPrivateKey();
  writeSecretFile(keyPath(dir), {
    [KEY]: spare ? { value: spare.sealed, sealed: true } : { value: text, sealed: false },
  });
  const privateKey = createPrivateKey(text);
  const publicKey = createPublicKey(privateKey);
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return { ...nameOfKey(spki), certificate: selfSign(publicKey, privateKey), privateKey };
}

/** Undefined when the key is missing or doesn't match the certificate. */
export function openDeviceKey(
  dir: string,
  certificate: string,
  cipher: Cipher | undefined,
): DeviceKey | undefined {
  const x509 = readCertificate(certificate);
  const record = readRecord(dir);
  if (!x509 || !record) return undefined;
  const known = { ...nameOfCertificate(x509), certificate };
  const text = record.sealed ? unseal(record.value, cipher) : record.value;
  if (text === null) return { ...known, privateKey: null };
  const privateKey = readKey(text);
  return privateKey && x509.checkPrivateKey(privateKey) ? { ...known, privateKey } : undefined;
}

export function nameOfCertificate(certificate: X509Certificate): KeyName {
  return nameOfKey(certificate.publicKey.export({ type: 'spki', format: 'der' }));
}

export function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function keyPath(dir: string): string {
  return join(dir, DEVICE_KEY_FILE);
}

function readRecord(dir: string): { value: string; sealed: boolean } | undefined {
  try {
    return readSecretFile(keyPath(dir))[KEY];
  } catch (error) {
    // A device without its key can't prove its identity and gets a new one.
    if (error instanceof SecretFileUnusable) return undefined;
    throw error;
  }
}

function unseal(value: string, cipher: Cipher | undefined): string | null {
  try {
    return cipher?.decrypt(value) ?? null;
  } catch {
    return null;
  }
}

function readKey(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined;
  }
}
