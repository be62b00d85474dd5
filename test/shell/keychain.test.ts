// The calls of Electron that reach the system's keychain. Electron itself is replaced.
import { beforeEach, expect, test, vi } from 'vitest';
import { systemKeychain } from '#main/shell/keychain.ts';
import { isLinux, onlyOnLinux } from '#test/support/not-run.ts';

const electron = vi.hoisted(() => ({
  isAvailable: true as boolean | Promise<boolean>,
  backend: 'gnome_libsecret',
}));

vi.mock('electron', () => ({
  // The synchronous calls are missing, as in the Electron that removes them.
  safeStorage: {
    isAsyncEncryptionAvailable: () => electron.isAvailable,
    getSelectedStorageBackend: () => electron.backend,
    encryptStringAsync: async (plain: string) => Buffer.from(`sealed ${plain}`),
    decryptStringAsync: async (sealed: Buffer) => ({
      result: sealed.toString().slice('sealed '.length),
      shouldReEncrypt: false,
    }),
  },
}));

beforeEach(() => {
  electron.isAvailable = Promise.resolve(true);
  electron.backend = 'gnome_libsecret';
});

test('[SE-4] the asynchronous calls encrypt and decrypt', async () => {
  const keychain = await systemKeychain();
  const sealed = (await keychain?.encrypt('ünïcode')) ?? '';
  expect(Buffer.from(sealed, 'base64').toString()).toBe('sealed ünïcode');
  expect(await keychain?.decrypt(sealed)).toBe('ünïcode');
});

test.each([
  ['a promise', Promise.resolve(false)],
  ['a plain boolean, as in Electron 42', false],
])('[SE-4] without a keychain there is none: %s', async (_, isAvailable) => {
  electron.isAvailable = isAvailable;
  expect(await systemKeychain()).toBeUndefined();
});

test.runIf(isLinux)(`[SE-4] a fixed key of Electron is no keychain${onlyOnLinux}`, async () => {
  electron.backend = 'basic_text';
  expect(await systemKeychain()).toBeUndefined();
});
