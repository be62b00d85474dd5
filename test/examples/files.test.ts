// The examples that work on folders, with real files.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  oldFile,
  practiceService,
  runsOf,
  startExample,
  writeFileAt,
} from '#test/examples/start-example.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const monthOf = (days: number): string =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 7);

test('[TL-9] tidy-downloads moves old files despite two crashes, each once, and leaves new ones', async () => {
  const downloads = tempFolder();
  writeFileSync(join(downloads, 'new.zip'), 'new');
  oldFile(downloads, 'a.pdf', 'A', 40);
  oldFile(downloads, 'b.pdf', 'B', 40);
  const example = await startExample('tidy-downloads.ts', {
    places: { '~/Downloads': downloads },
    faults: ['crash after the first files.mkdir', 'crash after the second files.move'],
  });
  const month = monthOf(40);
  expect(readdirSync(downloads).toSorted()).toEqual([month, 'new.zip']);
  expect(readdirSync(join(downloads, month)).toSorted()).toEqual(['a.pdf', 'b.pdf']);
  expect(readFileSync(join(downloads, month, 'a.pdf'), 'utf8')).toBe('A');
  expect(example.reached('files.move')).toHaveLength(2);
  example.assertNothingTwice();
  await example.assertDone();
});

test('[TL-9] tidy-downloads does not overwrite an existing file', async () => {
  const downloads = tempFolder();
  oldFile(downloads, 'a.pdf', 'new', 40);
  const month = monthOf(40);
  mkdirSync(join(downloads, month));
  writeFileSync(join(downloads, month, 'a.pdf'), 'existing');
  const example = await startExample('tidy-downloads.ts', { places: { '~/Downloads': downloads } });
  expect(readFileSync(join(downloads, month, 'a.pdf'), 'utf8')).toBe('existing');
  expect(readFileSync(join(downloads, 'a.pdf'), 'utf8')).toBe('new');
  expect((await runsOf(example)).at(-1)).toMatch(/^move failed failed .* already exists/);
});

test('[TL-9] rename-photos renames each photo by its time, once, despite two crashes', async () => {
  const photos = tempFolder();
  writeFileAt(photos, 'IMG_1.JPG', 'one', Date.UTC(2026, 2, 2, 14, 5, 11));
  writeFileAt(photos, 'IMG_2.heic', 'two', Date.UTC(2026, 2, 2, 14, 5, 12));
  writeFileAt(photos, 'notes.txt', 'no photo', Date.UTC(2026, 2, 2));
  const example = await startExample('rename-photos.ts', {
    now: '2026-03-02T15:00:00Z',
    places: { '~/Pictures/Camera': photos },
    faults: ['crash after the first files.move', 'crash before the second files.move'],
  });
  await example.pass('10m');
  expect(readdirSync(photos).toSorted()).toEqual([
    '2026-03-02 14.05.11 IMG_1.jpg',
    '2026-03-02 14.05.12 IMG_2.heic',
    'notes.txt',
  ]);
  await example.pass('1h');
  expect(example.reached('files.move')).toHaveLength(2);
  await example.assertDone();
});

test('[TL-4] upload-folder uploads each file once, although an answer is lost and the host crashes', async () => {
  const outbox = tempFolder();
  mkdirSync(join(outbox, 'done'));
  oldFile(outbox, 'one.txt', 'first');
  oldFile(outbox, 'two.txt', 'second');
  const practice = await practiceService();
  const example = await startExample('upload-folder.ts', {
    places: {
      '~/Outbox': outbox,
      'https://files.example.org': practice.url,
      "'files.example.org'": `'${practice.host}'`,
    },
    secrets: { 'upload-token': 'let-me-in' },
    faults: ['lose the answer of the first http.post', 'crash after the second http.post'],
  });
  const uploads = practice.effects().map(({ body }) => body as { name: string; base64: string });
  expect(uploads.map(({ name }) => name).toSorted()).toEqual(['one.txt', 'two.txt']);
  const first = uploads.find(({ name }) => name === 'one.txt');
  expect(Buffer.from(first?.base64 ?? '', 'base64').toString()).toBe('first');
  expect(readdirSync(outbox)).toEqual(['done']);
  expect(readdirSync(join(outbox, 'done')).toSorted()).toEqual(['one.txt', 'two.txt']);
  await example.assertDone();
  await example.pass('5m');
  expect(practice.effects()).toHaveLength(2);
});

test('[EN-7] daily-report retries a failed read, and writes the report once despite a crash', async () => {
  const reports = tempFolder();
  const example = await startExample('daily-report.ts', {
    now: '2026-03-02T12:00:00Z',
    places: { '~/Reports': reports },
    outside: {
      'http.get': ({ url }: { url: string }) => ({
        json: { count: url.includes('orders') ? 12 : 3 },
      }),
    },
    faults: ['fail the second http.get', 'crash after the first files.write'],
  });
  await example.pass('4h');
  expect(readdirSync(reports)).toEqual([]);
  // It runs at six in Berlin; the retry follows a minute later.
  await example.pass('61m');
  const [failed, ...later] = await example.runs('write');
  expect(failed).toMatchObject({ phase: 'failed', effect: null });
  expect(later.at(-1)).toMatchObject({ phase: 'committed', effect: 'applied' });
  expect(readFileSync(join(reports, '2026-03-02.md'), 'utf8')).toBe(
    '# 2026-03-02\n\n| | count |\n| --- | --- |\n| Orders | 12 |\n| Returns | 3 |\n',
  );
  await example.run('evening');
  expect(readdirSync(reports)).toHaveLength(1);
  expect(example.reached('files.write')).toHaveLength(1);
  await example.assertDone();
});
