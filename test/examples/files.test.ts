// The examples that work on folders, with real files.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  loseNextAnswer,
  oldFile,
  practiceService,
  startExample,
} from '#test/examples/run-example.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

test('[TL-9] tidy-downloads moves what is old into a folder for its month, and leaves the rest', async () => {
  const downloads = tempFolder();
  writeFileSync(join(downloads, 'new.zip'), 'new');
  oldFile(downloads, 'a.pdf', 'A', 40);
  oldFile(downloads, 'b.pdf', 'B', 40);
  const month = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 7);
  const example = await startExample('tidy-downloads.ts', { '~/Downloads': downloads });
  expect(readdirSync(downloads).toSorted()).toEqual([month, 'new.zip']);
  expect(readdirSync(join(downloads, month)).toSorted()).toEqual(['a.pdf', 'b.pdf']);
  expect(readFileSync(join(downloads, month, 'a.pdf'), 'utf8')).toBe('A');
  expect((await example.runs()).toSorted()).toEqual([
    'look committed no effect',
    'makeFolder committed applied',
    'makeFolder committed no effect',
    'move committed applied',
    'move committed applied',
  ]);
});

test('[TL-9] tidy-downloads never moves over a file that is there', async () => {
  const downloads = tempFolder();
  oldFile(downloads, 'a.pdf', 'new', 40);
  const month = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 7);
  mkdirSync(join(downloads, month));
  writeFileSync(join(downloads, month, 'a.pdf'), 'kept');
  const example = await startExample('tidy-downloads.ts', { '~/Downloads': downloads });
  expect(readFileSync(join(downloads, month, 'a.pdf'), 'utf8')).toBe('kept');
  expect(readFileSync(join(downloads, 'a.pdf'), 'utf8')).toBe('new');
  expect((await example.runs()).at(-1)).toMatch(/^move failed failed .* is there already/);
});

test('[TL-4] upload-folder: an answer is lost, the server is asked, and nothing is uploaded twice', async () => {
  const outbox = tempFolder();
  mkdirSync(join(outbox, 'done'));
  oldFile(outbox, 'one.txt', 'first');
  oldFile(outbox, 'two.txt', 'second');
  const practice = await practiceService();
  await loseNextAnswer(practice);
  const places = {
    '~/Outbox': outbox,
    'https://files.example.org': practice.url,
    "'files.example.org'": `'${practice.host}'`,
  };
  const example = await startExample('upload-folder.ts', places, { 'upload-token': 'let-me-in' });
  const uploads = practice.effects().map(({ body }) => body as { name: string; base64: string });
  expect(uploads.map(({ name }) => name).toSorted()).toEqual(['one.txt', 'two.txt']);
  const first = uploads.find(({ name }) => name === 'one.txt');
  expect(Buffer.from(first?.base64 ?? '', 'base64').toString()).toBe('first');
  expect(readdirSync(outbox)).toEqual(['done']);
  expect(readdirSync(join(outbox, 'done')).toSorted()).toEqual(['one.txt', 'two.txt']);
  expect(await example.inbox()).toEqual([]);
  await example.run('look');
  expect(practice.effects()).toHaveLength(2);
});

test('[EN-7] daily-report waits for a service that is down, and writes nothing half', async () => {
  const reports = tempFolder();
  let isDown = true;
  const server = createServer((request, response) => {
    response.statusCode = isDown && request.url === '/returns' ? 503 : 200;
    response.end(JSON.stringify({ count: request.url === '/orders' ? 12 : 3 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const places = {
    '~/Reports': reports,
    'https://status.example.org': `http://${host}`,
    "'status.example.org'": `'${host}'`,
  };
  const example = await startExample('daily-report.ts', places);
  expect(await example.runs()).toEqual([]);
  await example.run('evening');
  expect(readdirSync(reports)).toEqual([]);
  expect((await example.runs()).at(-1)).toMatch(/^write failed no effect .*503/);
  isDown = false;
  const written = new Promise<void>((resolve) => {
    example.host.feed.subscribe(() => {
      if (readdirSync(reports).some((name) => name.endsWith('.md'))) resolve();
    });
  });
  await written;
  await example.settled();
  const day = new Date().toISOString().slice(0, 10);
  expect(readFileSync(join(reports, `${day}.md`), 'utf8')).toBe(
    `# ${day}\n\n| | count |\n| --- | --- |\n| Orders | 12 |\n| Returns | 3 |\n`,
  );
  await example.run('evening');
  expect(readdirSync(reports)).toHaveLength(1);
});
