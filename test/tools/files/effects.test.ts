// [TL-9]: writes are atomic, and reconcile finds them.
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fileURLToPath } from 'node:url';
import { runProgram } from '#test/support/child-processes.ts';
import { sha256Hex } from '#shared/ids.ts';
import { filesIn } from '#test/tools/files/file-calls.ts';

const LATER = 60_000;
const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

const APPEND_ONCE = `
  import { createFilesTool } from '#main/tools/files/files.ts';
  const [folder, path] = process.argv.slice(1);
  const tool = createFilesTool();
  const { append } = tool.methods;
  const context = { grant: tool.grant.parse({ folders: [folder] }), effectId: 'effect-1' };
  const params = append.params.parse({ path, text: 'y'.repeat(4000) });
  console.log(JSON.stringify(await append.call(context, params)));
`;

describe('write', () => {
  test('[TL-9] a concurrent reader sees the old content or the new content, never a mix', async () => {
    const files = filesIn();
    const path = files.at('a.txt');
    const [old, fresh] = ['o'.repeat(900_000), 'n'.repeat(1_000_000)];
    writeFileSync(path, old);
    const seen = new Set<string>();
    const written = new AbortController();
    const reading = (async () => {
      while (!written.signal.aborted) {
        seen.add(readFileSync(path, 'utf8'));
        await new Promise(setImmediate);
      }
    })();
    for (let round = 0; round < 10; round += 1) {
      const text = round % 2 === 0 ? fresh : old;
      expect((await files.mutate('write', { path, text })).type).toBe('applied');
    }
    written.abort();
    await reading;
    for (const content of seen) expect([old, fresh].includes(content)).toBe(true);
    expect(readdirSync(files.folder)).toEqual(['a.txt']);
  });

  test('[TL-9] writes bytes and keeps the file mode', async () => {
    const files = filesIn();
    const path = files.at('a.bin');
    writeFileSync(path, 'old');
    chmodSync(path, 0o640);
    const outcome = await files.mutate('write', {
      path,
      base64: Buffer.from([0, 255]).toString('base64'),
    });
    expect(outcome).toMatchObject({ type: 'applied', result: { bytes: 2 } });
    expect([...readFileSync(path)]).toEqual([0, 255]);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    const read = await files.read('read', { path, encoding: 'base64' });
    expect(read).toMatchObject({ type: 'ok', result: { base64: 'AP8=' } });
    expect(await files.read('read', { path })).toMatchObject({
      type: 'failed',
      errorType: 'logic',
    });
  });

  test('[TL-9] ifExists: fail does not replace an existing file', async () => {
    const files = filesIn();
    const params = { path: files.at('a.txt'), text: 'new', ifExists: 'fail' };
    expect((await files.mutate('write', params)).type).toBe('applied');
    expect(await files.mutate('write', params)).toMatchObject({
      type: 'failed',
      errorType: 'logic',
    });
    expect((await files.reconcile('write', params)).type).toBe('happened');
    expect(readdirSync(files.folder)).toEqual(['a.txt']);
  });

  test('[TL-4] reconcile reads the temporary file of a crashed write and deletes it', async () => {
    const files = filesIn();
    const params = { path: files.at('a.txt'), text: 'new' };
    const leftover = files.at(`.holdfast-${sha256Hex('effect-1').slice(0, 24)}.tmp`);
    writeFileSync(leftover, 'ne');
    expect(await files.reconcile('write', params, -LATER)).toEqual({ type: 'did_not_happen' });
    expect(readdirSync(files.folder)).toEqual([]);
    // A crash between link and unlink of a write with ifExists: fail leaves both names.
    writeFileSync(leftover, 'new');
    linkSync(leftover, params.path);
    const outcome = await files.reconcile('write', { ...params, ifExists: 'fail' }, -LATER);
    expect(outcome.type).toBe('happened');
    expect(readdirSync(files.folder)).toEqual(['a.txt']);
  });

  test('[TL-4] equal content proves a write; a file or folder older than the call disproves it', async () => {
    const files = filesIn();
    const params = { path: files.at('a.txt'), text: 'new' };
    expect(await files.reconcile('write', params, LATER)).toEqual({ type: 'did_not_happen' });
    writeFileSync(params.path, 'old');
    expect(await files.reconcile('write', params, LATER)).toEqual({ type: 'did_not_happen' });
    await files.mutate('write', params);
    expect((await files.reconcile('write', params)).type).toBe('happened');
  });

  test('[TL-4] a file changed or a folder created after the call leaves a write unknown', async () => {
    const files = filesIn();
    const params = { path: files.at('a.txt'), text: 'new' };
    const sentLongAgo = -LATER;
    await files.mutate('write', params);
    writeFileSync(params.path, 'edited by a person since');
    expect((await files.reconcile('write', params, sentLongAgo)).type).toBe('unknown');
    const gone = filesIn();
    expect(
      (await gone.reconcile('write', { path: gone.at('b.txt'), text: 'x' }, sentLongAgo)).type,
    ).toBe('unknown');
  });
});

describe('append', () => {
  test('[TL-9] append starts a new line and ends the record with its marker', async () => {
    const files = filesIn();
    const path = files.at('log.md');
    writeFileSync(path, 'no line end');
    const params = { path, text: 'one\ntwo', marker: '<!-- {id} -->' };
    expect((await files.mutate('append', params)).type).toBe('applied');
    expect(readFileSync(path, 'utf8')).toBe('no line end\none\ntwo\n<!-- effect-1 -->\n');
    expect((await files.reconcile('append', params)).type).toBe('happened');
  });

  test('[TL-4] the marker proves an append even after later writes, and its absence disproves it', async () => {
    const files = filesIn();
    const params = { path: files.at('log.txt'), text: 'aab' };
    writeFileSync(params.path, 'by others\n');
    expect((await files.reconcile('append', params, LATER)).type).toBe('did_not_happen');
    // The file changed after the call, but by a complete write of another program.
    expect((await files.reconcile('append', params, 1)).type).toBe('did_not_happen');
    await files.mutate('append', params);
    appendFileSync(params.path, 'more by others\n');
    expect((await files.reconcile('append', params)).type).toBe('happened');
  });

  test('[TL-4] a part of the text at the end of the file leaves an append unknown', async () => {
    const files = filesIn();
    const params = { path: files.at('log.txt'), text: 'aaaab-and-more' };
    for (const [content, expected] of [
      ['xaaaa', 'unknown'],
      ['aaaab-and-more\n# holdfast eff', 'unknown'],
      ['aaaab-and-more, not quite', 'did_not_happen'],
      ['b\n', 'did_not_happen'],
    ] as const) {
      writeFileSync(params.path, content);
      expect((await files.reconcile('append', params, 1)).type, content).toBe(expected);
    }
  });

  test('[TL-7] append removes a partial write and fails', async () => {
    const files = filesIn();
    const path = files.at('log.txt');
    writeFileSync(path, 'x'.repeat(500));
    // A process that may write only one block per file runs out of space in the middle of the text.
    const limited = 'ulimit -f 1 && exec "$0" --input-type=module -e "$1" "$2" "$3"';
    const args = ['-c', limited, process.execPath, APPEND_ONCE, files.folder, path];
    const ended = await runProgram('sh', args, REPOSITORY);
    expect(JSON.parse(ended.stdout), ended.stderr).toMatchObject({
      type: 'failed',
      errorType: 'internal',
    });
    expect(readFileSync(path, 'utf8')).toBe('x'.repeat(500));
  });
});

describe('move', () => {
  test('[TL-9] moves files and folders and replaces nothing', async () => {
    const files = filesIn();
    writeFileSync(files.at('a.txt'), 'a');
    writeFileSync(files.at('b.txt'), 'b');
    mkdirSync(files.at('sub'));
    const over = await files.mutate('move', { from: files.at('a.txt'), to: files.at('b.txt') });
    expect(over).toMatchObject({ type: 'failed', errorType: 'logic' });
    const into = { from: files.at('a.txt'), to: files.at('sub', 'a.txt') };
    expect((await files.mutate('move', into)).type).toBe('applied');
    expect(await files.mutate('move', into)).toMatchObject({ type: 'failed', errorType: 'logic' });
    expect((await files.mutate('move', { from: files.at('sub'), to: files.at('dir') })).type).toBe(
      'applied',
    );
    expect(readFileSync(files.at('dir', 'a.txt'), 'utf8')).toBe('a');
    expect(readFileSync(files.at('b.txt'), 'utf8')).toBe('b');
  });

  test('[TL-4] the state of source and target decides whether a move happened', async () => {
    const files = filesIn();
    const params = { from: files.at('a.txt'), to: files.at('b.txt') };
    expect((await files.reconcile('move', params, LATER)).type).toBe('unknown');
    writeFileSync(params.from, 'a');
    expect((await files.reconcile('move', params, LATER)).type).toBe('did_not_happen');
    // The source is newer than the call and the target folder changed: the move may have happened, and
    // a new source may have appeared.
    expect((await files.reconcile('move', params, -LATER)).type).toBe('unknown');
    await files.mutate('move', params);
    expect((await files.reconcile('move', params)).type).toBe('happened');
    writeFileSync(params.from, 'another one came in');
    expect((await files.reconcile('move', params, -LATER)).type).toBe('unknown');
  });

  test('[TL-4] reconcile completes a move that crashed between link and unlink', async () => {
    const files = filesIn();
    const params = { from: files.at('a.txt'), to: files.at('b.txt') };
    writeFileSync(params.from, 'a');
    linkSync(params.from, params.to);
    expect((await files.reconcile('move', params)).type).toBe('happened');
    expect(readdirSync(files.folder)).toEqual(['b.txt']);
  });
});

test('[TL-9] mkdir succeeds for an existing folder and fails for a file', async () => {
  const files = filesIn();
  const params = { path: files.at('sub') };
  expect((await files.reconcile('mkdir', params)).type).toBe('did_not_happen');
  expect(await files.mutate('mkdir', params)).toMatchObject({ result: { existed: false } });
  expect(await files.mutate('mkdir', params)).toMatchObject({ result: { existed: true } });
  expect((await files.reconcile('mkdir', params)).type).toBe('happened');
  writeFileSync(files.at('file'), '');
  const blocked = await files.mutate('mkdir', { path: files.at('file') });
  expect(blocked).toMatchObject({ type: 'failed', errorType: 'logic' });
});

test('[TL-7] write, append and read refuse files over the limit', async () => {
  const files = filesIn();
  const text = 'x'.repeat(1024 * 1024 + 1);
  const path = files.at('big.txt');
  for (const method of ['write', 'append']) {
    const outcome = await files.mutate(method, { path, text });
    expect(outcome).toMatchObject({ type: 'failed', errorType: 'logic' });
  }
  writeFileSync(path, text);
  const read = await files.read('read', { path });
  expect(read).toMatchObject({ type: 'failed', errorType: 'logic' });
  expect(read.type === 'failed' && read.error).toContain('1048577 bytes');
});

test('[TL-9] list, stat and read return names, kinds, sizes and text', async () => {
  const files = filesIn();
  writeFileSync(files.at('b.txt'), 'bé');
  mkdirSync(files.at('a'));
  expect(await files.read('list', { path: files.folder })).toMatchObject({
    type: 'ok',
    result: {
      entries: [
        { name: 'a', kind: 'folder' },
        { name: 'b.txt', kind: 'file', bytes: 3 },
      ],
    },
  });
  expect(await files.read('read', { path: files.at('b.txt') })).toMatchObject({
    result: { text: 'bé' },
  });
  expect(await files.read('stat', { path: files.at('c') })).toMatchObject({
    result: { exists: false },
  });
  expect(await files.read('stat', { path: files.folder })).toMatchObject({
    result: { kind: 'folder' },
  });
  expect((await files.read('list', { path: files.at('b.txt') })).type).toBe('failed');
  expect((await files.read('read', { path: files.at('a') })).type).toBe('failed');
});
