// [TL-9]: writes are atomic, and reconcile finds them.
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fileURLToPath } from 'node:url';
import { runProgram } from '#test/support/child-processes.ts';
import { sha256Hex } from '#shared/ids.ts';
import { NOT_THERE } from '#main/tools/files/file-errors.ts';
import { systemClock } from '#main/platform/system.ts';
import { testHost } from '#test/tools/call-host.ts';
import { filesIn } from '#test/tools/files/file-calls.ts';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

const APPEND_ONCE = `
  import { createFilesTool } from '#main/tools/files/files.ts';
  const [folder, path] = process.argv.slice(1);
  const tool = createFilesTool();
  const { append } = tool.methods;
  const context = { grant: tool.grant.parse({ folders: [folder] }), effectId: 'effect-1', maySend: () => null };
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

  test('[TL-4] the temporary file of a crashed write disproves it, and the next write removes it', async () => {
    const files = filesIn();
    const params = { path: files.at('a.txt'), text: 'new' };
    const leftover = files.at(`.holdfast-${sha256Hex('effect-1').slice(0, 24)}.tmp`);
    writeFileSync(leftover, 'ne');
    // Twice, because two negatives are needed.
    expect(await files.reconcile('write', params)).toEqual(NOT_THERE);
    expect(await files.reconcile('write', params)).toEqual(NOT_THERE);
    // Another send may have got further than the one that left the file.
    const resent = await files.reconcile('write', params, { wasResent: true });
    expect(resent.type).toBe('unknown');
    expect((await files.mutate('write', params)).type).toBe('applied');
    expect(readdirSync(files.folder)).toEqual(['a.txt']);
    writeFileSync(leftover, 'ne');
    expect((await files.reconcile('write', params)).type).toBe('happened');
    expect(readdirSync(files.folder)).toEqual(['a.txt']);
  });

  test('[TL-4] equal content proves a write; a file or folder that nothing touched disproves it', async () => {
    const files = filesIn();
    const params = { path: files.at('a.txt'), text: 'new' };
    const empty = await files.witness('write', params);
    expect(await files.reconcile('write', params, { witness: empty })).toEqual(NOT_THERE);
    writeFileSync(params.path, 'old');
    const old = await files.witness('write', params);
    expect(await files.reconcile('write', params, { witness: old })).toEqual(NOT_THERE);
    await files.mutate('write', params);
    for (const witness of [empty, old, undefined]) {
      expect((await files.reconcile('write', params, { witness })).type).toBe('happened');
    }
  });

  test('[TL-4] [DO-9] anything that changed since leaves a write unknown', async () => {
    const files = filesIn();
    const params = { path: files.at('a.txt'), text: 'new' };
    const witness = await files.witness('write', params);
    await files.mutate('write', params);
    writeFileSync(params.path, 'edited by a person since');
    expect((await files.reconcile('write', params, { witness })).type).toBe('unknown');
    const other = filesIn();
    const absent = { path: other.at('b.txt'), text: 'x' };
    const before = await other.witness('write', absent);
    writeFileSync(other.at('something-else'), '');
    expect((await other.reconcile('write', absent, { witness: before })).type).toBe('unknown');
    // A row of an earlier version has no witness.
    expect((await filesIn().reconcile('write', absent)).type).toBe('unknown');
  });

  test('[DO-9] a file that another program took leaves a write with ifExists: fail unknown', async () => {
    const files = filesIn();
    const params = { path: files.at('order.json'), text: '{}', ifExists: 'fail' };
    const witness = await files.witness('write', params);
    expect((await files.mutate('write', params)).type).toBe('applied');
    unlinkSync(params.path);
    expect((await files.reconcile('write', params, { witness })).type).toBe('unknown');
  });

  test('[DO-9] a crash between the two names of a write with ifExists: fail leaves it unknown if another program took the file', async () => {
    const files = filesIn();
    const params = { path: files.at('order.json'), text: '{}', ifExists: 'fail' };
    const witness = await files.witness('write', params);
    const linked = files.at(`.holdfast-${sha256Hex('effect-1').slice(0, 24)}.new`);
    writeFileSync(linked, '{}');
    linkSync(linked, params.path);
    expect((await files.reconcile('write', params, { witness })).type).toBe('happened');
    expect(readdirSync(files.folder)).toEqual(['order.json']);
    linkSync(params.path, linked);
    unlinkSync(params.path);
    expect((await files.reconcile('write', params, { witness })).type).toBe('unknown');
    // A later attempt did not get that far, which proves nothing about the first.
    writeFileSync(linked.replace(/new$/, 'tmp'), '{');
    expect((await files.reconcile('write', params, { witness })).type).toBe('unknown');
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

  test('[TL-4] the marker proves an append even after later writes; only an untouched file disproves it', async () => {
    const files = filesIn();
    const params = { path: files.at('log.txt'), text: 'aab' };
    writeFileSync(params.path, 'by others\n');
    const witness = await files.witness('append', params);
    expect(await files.reconcile('append', params, { witness })).toEqual(NOT_THERE);
    await files.mutate('append', params);
    appendFileSync(params.path, 'more by others\n');
    expect((await files.reconcile('append', params, { witness })).type).toBe('happened');
  });

  test('[DO-9] a file that another program truncated, replaced or took leaves an append unknown', async () => {
    const undone: { readonly [how: string]: (path: string) => void } = {
      truncated: (path) => truncateSync(path, 'by others\n'.length),
      rewritten: (path) => writeFileSync(path, 'by others\n'),
      replaced: (path) => {
        writeFileSync(`${path}.new`, 'by others\n');
        renameSync(`${path}.new`, path);
      },
      taken: (path) => unlinkSync(path),
      'a part is left': (path) => writeFileSync(path, 'by others\naaa'),
    };
    for (const [how, undo] of Object.entries(undone)) {
      for (const isNew of [false, true]) {
        const files = filesIn();
        const params = { path: files.at('log.txt'), text: 'aaaab-and-more' };
        if (!isNew) writeFileSync(params.path, 'by others\n');
        const witness = await files.witness('append', params);
        expect((await files.mutate('append', params)).type).toBe('applied');
        undo(params.path);
        const outcome = await files.reconcile('append', params, { witness });
        expect(outcome.type, `${how}, ${isNew ? 'a new file' : 'an old file'}`).toBe('unknown');
      }
    }
  });

  test('[DO-10] a clock that differs from that of the file system never makes a check certain', async () => {
    for (const skewMs of [-300_000, 300_000]) {
      const clock = { ...systemClock, now: () => Date.now() + skewMs };
      const files = filesIn({}, [], { ...testHost(), clock });
      const params = { path: files.at('log.txt'), text: 'line' };
      writeFileSync(params.path, 'by others\n');
      const witness = await files.witness('append', params);
      const sentAt = clock.now();
      // The file system's clock is behind: what was touched looks older than the call.
      expect((await files.mutate('append', params)).type).toBe('applied');
      writeFileSync(params.path, 'by others\n');
      const outcome = await files.reconcile('append', params, { witness, sentAt });
      expect(outcome.type, String(skewMs)).toBe('unknown');
    }
    // Ours is behind: whether the last change is over can't be seen, so nothing is concluded.
    const clock = { ...systemClock, now: () => Date.now() - 300_000 };
    const files = filesIn({}, [], { ...testHost(), clock });
    const params = { path: files.at('log.txt'), text: 'line' };
    const witness = await files.witness('append', params);
    expect((await files.reconcile('append', params, { witness })).type).toBe('unknown');
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

  test('[TL-4] [DO-9] the witness and the current state decide whether a move happened', async () => {
    const files = filesIn();
    const params = { from: files.at('a.txt'), to: files.at('b.txt') };
    expect((await files.reconcile('move', params)).type).toBe('unknown');
    writeFileSync(params.from, 'a');
    const witness = await files.witness('move', params);
    const check = async (): Promise<string> =>
      (await files.reconcile('move', params, { witness })).type;
    expect(await check()).toBe('not_there');
    await files.mutate('move', params);
    expect(await check()).toBe('happened');
    // Moved back by another program: the file was touched.
    renameSync(params.to, params.from);
    expect(await check()).toBe('unknown');
    renameSync(params.from, params.to);
    writeFileSync(params.from, 'another one came in');
    expect(await check()).toBe('unknown');
    unlinkSync(params.from);
    unlinkSync(params.to);
    expect(await check()).toBe('unknown');
  });

  test('[DO-9] a move whose target was there before did not happen, and the check removes nothing', async () => {
    const files = filesIn();
    const params = { from: files.at('a.txt'), to: files.at('b.txt') };
    writeFileSync(params.from, 'a');
    linkSync(params.from, params.to);
    const witness = await files.witness('move', params);
    expect((await files.reconcile('move', params, { witness })).type).toBe('not_there');
    expect(readdirSync(files.folder)).toEqual(['a.txt', 'b.txt']);
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

test('[TL-9] [DO-9] mkdir succeeds for an existing folder and fails for a file; a folder that was removed since leaves it unknown', async () => {
  const files = filesIn();
  const params = { path: files.at('sub') };
  const witness = await files.witness('mkdir', params);
  expect((await files.reconcile('mkdir', params, { witness })).type).toBe('not_there');
  expect(await files.mutate('mkdir', params)).toMatchObject({ result: { existed: false } });
  expect(await files.mutate('mkdir', params)).toMatchObject({ result: { existed: true } });
  expect((await files.reconcile('mkdir', params, { witness })).type).toBe('happened');
  rmdirSync(params.path);
  expect((await files.reconcile('mkdir', params, { witness })).type).toBe('unknown');
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
