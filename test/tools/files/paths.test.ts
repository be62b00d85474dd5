// [TL-8]: no path spelling and no link leads out of a granted folder.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesGrant, locate } from '#main/tools/files/place.ts';
import { runProgram } from '#test/support/child-processes.ts';
import { filesIn, type Files } from '#test/tools/files/file-calls.ts';
import { isLinux, onlyOnLinux } from '#test/support/not-run.ts';

/** Calls every method with this path. */
async function everyCall(files: Files, path: string): Promise<{ type: string; error?: string }[]> {
  return [
    await files.read('list', { path }),
    await files.read('read', { path }),
    await files.read('stat', { path }),
    await files.mutate('write', { path, text: 'x' }),
    await files.mutate('append', { path, text: 'x' }),
    await files.mutate('mkdir', { path }),
    await files.mutate('move', { from: path, to: files.at('stolen') }),
    await files.mutate('move', { from: files.at('mine.txt'), to: path }),
  ];
}

describe('[TL-8] path spellings', () => {
  test.each([
    ['a parent segment', (files: Files) => `${files.folder}/../outside/a.txt`],
    ['a parent segment and back', (files: Files) => `${files.folder}/../granted/a.txt`],
    ['a folder next to the granted one', (files: Files) => join(files.outside, 'a.txt')],
    ['a folder with a longer name', (files: Files) => `${files.folder}-more/a.txt`],
    ['a relative path', () => 'a.txt'],
    ['a NUL byte', (files: Files) => `${files.folder}/a\0.txt`],
    ['the root', () => '/'],
    ['a device', () => '/dev/zero'],
    ['the home folder', () => '~/secret.txt'],
    ['an empty path', () => ''],
  ])('%s: every method fails', async (_, pathOf) => {
    const files = filesIn();
    writeFileSync(files.at('mine.txt'), 'mine');
    for (const outcome of await everyCall(files, pathOf(files)))
      expect(outcome.type).toBe('failed');
    expect(readdirSync(files.folder)).toEqual(['mine.txt']);
    expect(readdirSync(files.outside)).toEqual([]);
  });

  test('the error names the folder to grant', async () => {
    const files = filesIn();
    const outcome = await files.read('read', { path: join(files.outside, 'a.txt') });
    expect(outcome).toMatchObject({ type: 'failed', errorType: 'permission' });
    expect(outcome.type === 'failed' && outcome.error).toContain(`"${files.outside}"`);
  });

  test('~ is the home folder of the user', () => {
    const grant = filesGrant.parse({ folders: ['~/Invoices/'] });
    const place = locate(grant, '~/Invoices/./2026//a.pdf', true);
    expect(place.path).toBe(join(homedir(), 'Invoices', '2026', 'a.pdf'));
    expect(() => locate(grant, '~/Invoices2/a.pdf', true)).toThrow(/may not use/);
  });

  test('a read-only grant refuses writes', async () => {
    const files = filesIn({ readOnly: true });
    writeFileSync(files.at('a.txt'), 'here');
    expect((await files.read('read', { path: files.at('a.txt') })).type).toBe('ok');
    const outcome = await files.mutate('write', { path: files.at('a.txt'), text: 'x' });
    expect(outcome).toMatchObject({ type: 'failed', errorType: 'permission' });
    expect(readFileSync(files.at('a.txt'), 'utf8')).toBe('here');
  });

  test('an excluded folder is refused even when / is granted', async () => {
    const probe = filesIn();
    const files = filesIn({ folders: ['/'] }, [probe.outside]);
    writeFileSync(join(probe.outside, 'secrets.json'), 'precious');
    const outcomes = await everyCall(files, join(probe.outside, 'secrets.json'));
    for (const outcome of outcomes)
      expect(outcome, JSON.stringify(outcome)).toMatchObject({ type: 'failed' });
    expect(JSON.stringify(outcomes)).not.toContain('precious');
    expect(readFileSync(join(probe.outside, 'secrets.json'), 'utf8')).toBe('precious');
  });
});

describe('[TL-8] symbolic links', () => {
  test('a link out of the folder is not followed, to a folder or to a file', async () => {
    const files = filesIn();
    writeFileSync(join(files.outside, 'a.txt'), 'precious');
    writeFileSync(files.at('mine.txt'), 'mine');
    symlinkSync(files.outside, files.at('folder-link'));
    symlinkSync(join(files.outside, 'a.txt'), files.at('file-link.txt'));
    symlinkSync(join(files.outside, 'new.txt'), files.at('dangling.txt'));
    for (const path of [
      'folder-link',
      'folder-link/a.txt',
      'folder-link/new.txt',
      'file-link.txt',
      'dangling.txt',
    ]) {
      const outcomes = await everyCall(files, files.at(path));
      expect(JSON.stringify(outcomes)).not.toContain('precious');
      for (const outcome of outcomes) expect(['failed', 'ok']).toContain(outcome.type);
    }
    expect(readdirSync(files.outside)).toEqual(['a.txt']);
    expect(readFileSync(join(files.outside, 'a.txt'), 'utf8')).toBe('precious');
    expect(readFileSync(files.at('mine.txt'), 'utf8')).toBe('mine');
    expect(lstatSync(files.at('dangling.txt')).isSymbolicLink()).toBe(true);
    // stat reports the link itself, never its target.
    const seen = await files.read('stat', { path: files.at('file-link.txt') });
    expect(seen).toMatchObject({ type: 'ok', result: { kind: 'link' } });
  });

  test('a link within the folder can be read but not written', async () => {
    const files = filesIn();
    mkdirSync(files.at('sub'));
    writeFileSync(files.at('sub', 'a.txt'), 'here');
    symlinkSync(files.at('sub', 'a.txt'), files.at('short.txt'));
    symlinkSync('sub', files.at('way'));
    for (const path of [files.at('short.txt'), files.at('way', 'a.txt')]) {
      expect(await files.read('read', { path })).toMatchObject({
        type: 'ok',
        result: { text: 'here' },
      });
    }
    const outcome = await files.mutate('write', { path: files.at('short.txt'), text: 'x' });
    expect(outcome).toMatchObject({ type: 'failed', errorType: 'permission' });
    expect(readFileSync(files.at('sub', 'a.txt'), 'utf8')).toBe('here');
  });

  test('the granted folder may itself be a link', async () => {
    const base = filesIn();
    symlinkSync(base.folder, join(base.outside, 'link'));
    const files = filesIn({ folders: [join(base.outside, 'link')] });
    const path = join(base.outside, 'link', 'a.txt');
    expect((await files.mutate('write', { path, text: 'x' })).type).toBe('applied');
    expect(readFileSync(base.at('a.txt'), 'utf8')).toBe('x');
  });

  // Only Linux opens paths relative to a folder handle; other systems keep a gap of microseconds.
  test.runIf(isLinux)(
    `a folder that is swapped for a link during calls exposes nothing outside${onlyOnLinux}`,
    async () => {
      const files = filesIn();
      mkdirSync(files.at('real'));
      symlinkSync(files.outside, files.at('link'));
      writeFileSync(join(files.outside, 'a.txt'), 'precious');
      const stopSwapping = new AbortController();
      const swap = (async () => {
        while (!stopSwapping.signal.aborted) {
          renameSync(files.at('real'), files.at('spot'));
          await new Promise(setImmediate);
          renameSync(files.at('spot'), files.at('real'));
          renameSync(files.at('link'), files.at('spot'));
          await new Promise(setImmediate);
          renameSync(files.at('spot'), files.at('link'));
        }
      })();
      let applied = 0;
      // On a busy computer it can take many rounds until a write meets the real folder.
      for (let round = 0; round < 400 || (applied === 0 && round < 40_000); round += 1) {
        const path = files.at('spot', 'a.txt');
        const outcome = await files.mutate('write', { path, text: 'mine' });
        if (outcome.type === 'applied') applied += 1;
        const read = await files.read('read', { path });
        expect(JSON.stringify(read)).not.toContain('precious');
      }
      stopSwapping.abort();
      await swap;
      expect(applied).toBeGreaterThan(0);
      expect(readdirSync(files.outside)).toEqual(['a.txt']);
      expect(readFileSync(join(files.outside, 'a.txt'), 'utf8')).toBe('precious');
    },
  );
});

test('[TL-8] a named pipe is neither read nor written', async () => {
  const files = filesIn();
  await runProgram('sh', ['-c', 'mkfifo pipe'], files.folder);
  for (const method of ['write', 'append'] as const) {
    const outcome = await files.mutate(method, { path: files.at('pipe'), text: 'x' });
    expect(outcome.type, method).toBe('failed');
  }
  expect((await files.read('read', { path: files.at('pipe') })).type).toBe('failed');
  expect(lstatSync(files.at('pipe')).isFIFO()).toBe(true);
});

test('[TL-8] the granted folder itself is not moved, replaced or created', async () => {
  const files = filesIn();
  const moved = await files.mutate('move', { from: files.folder, to: files.at('x') });
  expect(moved.type).toBe('failed');
  expect((await files.mutate('write', { path: files.folder, text: 'x' })).type).toBe('failed');
  rmSync(files.folder, { recursive: true });
  expect((await files.mutate('mkdir', { path: files.folder })).type).toBe('failed');
  expect((await files.mutate('mkdir', { path: files.at('sub') })).type).toBe('failed');
  expect(existsSync(files.folder)).toBe(false);
});
