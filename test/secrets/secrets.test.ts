import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createMasker } from '#main/secrets/masker.ts';
import { withoutInternalSecrets } from '#main/secrets/internal-secrets.ts';
import {
  openSecretStore,
  SecretRefused,
  type Cipher,
  type SecretStore,
} from '#main/secrets/secret-store.ts';
import { SecretMissing } from '#main/secrets/secret-missing.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

function openIn(dataDir: string, cipher?: Cipher): SecretStore {
  return openSecretStore({ dataDir, masker: createMasker(), cipher });
}

/** A fake keychain. */
const fakeKeychain: Cipher = {
  encrypt: async (plain) => Buffer.from(plain).toString('hex'),
  decrypt: (sealed) => Buffer.from(sealed, 'hex').toString(),
  takeSpareKey: () => {
    throw new Error('There is none.');
  },
};

describe('[SE-1] the secret store', () => {
  test('stores, lists sorted by name, and deletes secrets across instances', async () => {
    const dataDir = tempFolder();
    const store = openIn(dataDir);
    expect(await store.names()).toEqual([]);
    await store.set('mail', 'open-sesame');
    await store.set('api', 'ünïcode 🐚');
    const again = openIn(dataDir);
    expect(await again.names()).toEqual(['api', 'mail']);
    expect(await again.get('api')).toBe('ünïcode 🐚');
    expect(await again.delete('mail')).toBe(true);
    expect(await again.delete('mail')).toBe(false);
    await expect(store.get('mail')).rejects.toThrow(SecretMissing);
    expect(readdirSync(dataDir)).toEqual(['secrets.json']);
  });

  test('makes the file owner-only, even if its permissions were wider', async () => {
    const dataDir = tempFolder();
    const path = join(dataDir, 'secrets.json');
    const store = openIn(dataDir);
    await store.set('api', 'first-value');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o644);
    openIn(dataDir);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o666);
    await store.set('api', 'second-value');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('sees a secret that another instance set', async () => {
    const dataDir = tempFolder();
    const [one, other] = [openIn(dataDir), openIn(dataDir)];
    await one.set('a', 'value-of-a');
    await other.set('b', 'value-of-b');
    expect(await one.names()).toEqual(['a', 'b']);
    expect(await one.get('b')).toBe('value-of-b');
  });

  test('encrypts values if there is a keychain, and reads plain ones with it', async () => {
    const dataDir = tempFolder();
    await openIn(dataDir, fakeKeychain).set('api', 'open-sesame');
    expect(readFileSync(join(dataDir, 'secrets.json'), 'utf8')).not.toContain('open-sesame');
    expect(await openIn(dataDir, fakeKeychain).get('api')).toBe('open-sesame');
    await expect(openIn(dataDir).get('api')).rejects.toThrow(/keychain that is not available/);
    // A value stored without a keychain stays readable with one.
    await openIn(dataDir).set('plain', 'in-the-clear');
    expect(await openIn(dataDir, fakeKeychain).get('plain')).toBe('in-the-clear');
  });

  test('calls take effect in call order, however long encryption takes', async () => {
    const waits = [20, 0, 10];
    const store = openIn(tempFolder(), {
      ...fakeKeychain,
      encrypt: async (plain) => {
        await sleep(waits.pop());
        return fakeKeychain.encrypt(plain);
      },
    });
    const calls = [store.set('api', 'first'), store.set('api', 'second'), store.get('api')];
    calls.push(store.set('gone', 'open-sesame'));
    const [, , found] = await Promise.all([...calls, store.delete('gone')]);
    expect(found).toBe('second');
    expect(await store.names()).toEqual(['api']);
  });

  test('refuses an invalid file or a symbolic link without changing or quoting it', async () => {
    const dataDir = tempFolder();
    const path = join(dataDir, 'secrets.json');
    writeFileSync(path, '{"half": "open-sesame"');
    expect(() => openIn(dataDir)).toThrow(/not a valid secrets file/);
    expect(() => openIn(dataDir)).not.toThrow(/sesame/);
    expect(readFileSync(path, 'utf8')).toBe('{"half": "open-sesame"');
    const linked = tempFolder();
    symlinkSync(path, join(linked, 'secrets.json'));
    expect(() => openIn(linked)).toThrow(/regular file/);
  });

  test('refuses invalid names and values without quoting the value', async () => {
    const dataDir = tempFolder();
    const store = openIn(dataDir);
    for (const name of ['', '1st', 'a b', '../a', '__proto__', 'x'.repeat(101)]) {
      await expect(store.set(name, 'open-sesame'), name).rejects.toThrow(/name of a secret/);
    }
    for (const value of ['', 'open-sesame\0', 'x'.repeat(70_000)]) {
      const refusal = await store.set('api', value).catch(String);
      expect(refusal).toMatch(/Nothing was changed/);
      expect(refusal).not.toContain('sesame');
    }
    expect(existsSync(join(dataDir, 'secrets.json'))).toBe(false);
    await expect(store.get('constructor')).rejects.toThrow(SecretMissing);
  });
});

describe('[SE-2] secret values are masked', () => {
  const VALUE = 'p@ss/wörd+1 "quoted"';
  const masker = createMasker();
  masker.learn('api', VALUE);

  test.each([
    ['unchanged', VALUE],
    ['in a URL', encodeURIComponent(VALUE)],
    ['in a form', new URLSearchParams({ v: VALUE }).toString()],
    ['in JSON', JSON.stringify({ v: VALUE })],
    ['in base64', Buffer.from(VALUE).toString('base64')],
    ['in base64 after one byte', Buffer.from(`a${VALUE}`).toString('base64')],
    ['in base64 after two bytes', Buffer.from(`ab${VALUE}`).toString('base64')],
    ['in base64 in the middle', Buffer.from(`user:${VALUE}:more`).toString('base64')],
    ['in base64url', Buffer.from(VALUE).toString('base64url')],
  ])('%s', (_, text) => {
    const masked = masker.mask(`before ${text} after`);
    expect(masked).toMatch(/^before .*•••\(api\).* after$/);
    expect(masked).not.toContain(text);
  });

  test('in strings, keys and numbers of JSON; JSON without one is returned unchanged', () => {
    const numbers = createMasker();
    numbers.learn('pin', '123456');
    expect(numbers.maskJson({ n: 123456, list: ['x123456y'], '123456': null })).toEqual({
      n: '•••(pin)',
      list: ['x•••(pin)y'],
      '•••(pin)': null,
    });
    const untouched = { a: [1, 'two'] };
    expect(numbers.maskJson(untouched)).toBe(untouched);
  });

  test('with the longer value first, and also old values', () => {
    const both = createMasker();
    both.learn('short', 'secret');
    both.learn('long', 'secret-and-more');
    expect(both.mask('secret-and-more, secret')).toBe('•••(long), •••(short)');
    both.learn('short', 'renewed');
    expect(both.mask('secret renewed')).toBe('•••(short) •••(short)');
  });

  test('for the password of user:password alone, and not for short values', () => {
    const pair = createMasker();
    pair.learn('login', 'ann:open-sesame');
    pair.learn('tiny', 'abc');
    expect(pair.mask('wrong password open-sesame, abc')).toBe('wrong password •••(login), abc');
  });

  test('once the store has loaded or set them', async () => {
    const dataDir = tempFolder();
    await openIn(dataDir, fakeKeychain).set('api', 'open-sesame');
    const learned = createMasker();
    const store = openSecretStore({ dataDir, masker: learned, cipher: fakeKeychain });
    expect(learned.mask('open-sesame')).toBe('•••(api)');
    await store.set('other', 'brand-new');
    expect(learned.mask('brand-new')).toBe('•••(other)');
  });
});

describe('[SE-3] internal secrets of Holdfast', () => {
  test('cannot be listed, read, changed or deleted by workflows and people', async () => {
    const all = openIn(tempFolder());
    await all.set('holdfast.space-key', 'of-the-space');
    await all.set('mail', 'open-sesame');
    const shown = withoutInternalSecrets(all);
    expect(await shown.names()).toEqual(['mail']);
    expect(await shown.get('mail')).toBe('open-sesame');
    for (const name of ['holdfast.space-key', 'Holdfast.space-key']) {
      await expect(shown.get(name)).rejects.toThrow(SecretMissing);
      await expect(shown.set(name, 'mine')).rejects.toThrow(/are reserved.*Nothing was changed/);
      await expect(shown.delete(name)).rejects.toThrow(SecretRefused);
    }
    expect(await all.get('holdfast.space-key')).toBe('of-the-space');
    await shown.set('holdfast-like', 'fine');
    expect(await all.get('holdfast-like')).toBe('fine');
  });
});
