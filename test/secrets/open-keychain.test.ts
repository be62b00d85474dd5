// Calls of the desktop app to the system's keychain before it creates the host.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openKeychain, type Keychain } from '#main/data-folder/open-keychain.ts';
import { createMasker } from '#main/secrets/masker.ts';
import { openSecretStore, type Cipher, type SecretStore } from '#main/secrets/secret-store.ts';
import { makeDeviceKey, openDeviceKey } from '#main/sync/link/device-key.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const keychain = (account: string): Keychain => ({
  encrypt: async (plain) => Buffer.from(JSON.stringify({ account, plain })).toString('base64'),
  decrypt: async (sealed) => {
    const found = JSON.parse(Buffer.from(sealed, 'base64').toString()) as {
      account: string;
      plain: string;
    };
    if (found.account !== account) throw new Error('It was sealed by another account.');
    return found.plain;
  },
});

function secretsOf(dataDir: string, cipher: Cipher): SecretStore {
  return openSecretStore({ dataDir, masker: createMasker(), cipher });
}

test('[SE-4] sealed values of the folder are read synchronously, in this start and the next', async () => {
  const dir = tempFolder();
  const first = await openKeychain(dir, keychain('ada'));
  await secretsOf(dir, first).set('api', 'open-sesame');
  const { certificate, deviceId } = makeDeviceKey(dir, first);
  for (const file of ['secrets.json', 'device-key.json']) {
    expect(readFileSync(join(dir, file), 'utf8'), file).not.toMatch(/open-sesame|PRIVATE KEY/);
  }
  const next = await openKeychain(dir, keychain('ada'));
  expect(await secretsOf(dir, next).get('api')).toBe('open-sesame');
  expect(openDeviceKey(dir, certificate, next)).toMatchObject({
    deviceId,
    privateKey: expect.anything() as unknown,
  });
});

test('[SE-4] [DK-4] a value that another account sealed stays, and the others are read', async () => {
  const dir = tempFolder();
  const first = await openKeychain(dir, keychain('ada'));
  await secretsOf(dir, first).set('hers', 'open-sesame');
  const { certificate, deviceId } = makeDeviceKey(dir, first);
  const other = await openKeychain(dir, keychain('bob'));
  const secrets = secretsOf(dir, other);
  await secrets.set('his', 'another-value');
  await expect(secrets.get('hers')).rejects.toThrow(/encrypted with a keychain/);
  expect(await secrets.get('his')).toBe('another-value');
  expect(openDeviceKey(dir, certificate, other)).toMatchObject({ deviceId, privateKey: null });
});

test('[SE-4] two folders never get the same private key', async () => {
  const cipher = await openKeychain(tempFolder(), keychain('ada'));
  makeDeviceKey(tempFolder(), cipher);
  expect(() => makeDeviceKey(tempFolder(), cipher)).toThrow('already in use');
});

test('[SE-4] a file that is not ours is left to the host to report', async () => {
  const dir = tempFolder();
  writeFileSync(join(dir, 'secrets.json'), '{"half":');
  const cipher = await openKeychain(dir, keychain('ada'));
  expect(() => secretsOf(dir, cipher)).toThrow(/not a valid secrets file/);
});
