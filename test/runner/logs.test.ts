// Job logs: writing, limits, masking, and reading in parts.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LogFile, logPath } from '#main/runner/log-file.ts';
import { StreamMask } from '#main/runner/log-mask.ts';
import { readLogPart } from '#main/runner/log-reader.ts';
import { isRefusal } from '#main/runner/refusal.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import { createMasker } from '#main/secrets/masker.ts';
import { LogParser } from '#shared/runner/log-text.ts';
import { startRunner } from '#test/support/start-runner.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

describe('writing a log', () => {
  test('[RX-5] stdout and stderr are logged in order of arrival and marked by source', async () => {
    const runner = startRunner({
      scripts: {
        both: {
          sh: 'for n in 1 2 3; do echo out $n; sleep 0.05; echo err $n >&2; sleep 0.05; done',
        },
      },
    });
    const job = await runner.outcome('both');
    const pieces = new LogParser().push(runner.logBytes(job).toString('utf8'));
    expect(pieces).toEqual(
      [1, 2, 3].flatMap((n) => [
        { source: 'stdout', text: `out ${n}\n` },
        { source: 'stderr', text: `err ${n}\n` },
      ]),
    );
    expect(job.logBytes).toBe(runner.logBytes(job).length);
  });

  test('[RX-5] invalid UTF-8, incomplete characters and RS bytes are logged unchanged', async () => {
    const bytes = Buffer.concat([
      Buffer.from([0, 1, 0xff, 0xfe, 0x1e, 0x31, 0x1e, 0x1e, 0x30]),
      Buffer.from('€😀'),
      Buffer.from([0xe2, 0x82]),
    ]);
    const runner = startRunner({ scripts: { raw: { sh: 'cat bytes' } } });
    writeFileSync(join(runner.repo, 'bytes'), bytes);
    const job = await runner.outcome('raw');
    const log = runner.logBytes(job);
    expect(log.subarray(0, 2).toString()).toBe('\u001e1');
    const unescaped = Buffer.from(
      log.subarray(2).toString('latin1').replaceAll('\u001e\u001e', '\u001e'),
      'latin1',
    );
    expect(unescaped.equals(bytes)).toBe(true);
    expect(runner.output(job)).toBe(bytes.toString('utf8'));
    expect(new Set(new LogParser().push(log.toString('utf8')).map(({ source }) => source))).toEqual(
      new Set(['stdout']),
    );
  });

  test('[RX-5] a character split across two writes is not split in the log', async () => {
    const runner = startRunner({
      scripts: {
        halves: {
          sh: `printf '\\342\\202'; sleep 0.1; printf 'between' >&2; sleep 0.1; printf '\\254!'`,
        },
      },
    });
    const job = await runner.outcome('halves');
    const text = runner.logBytes(job).toString('utf8');
    expect(text).toBe('\u001e2between\u001e1€!');
  });

  test('[RX-6] the log stops at its limit at a character boundary, and the script keeps running', async () => {
    const runner = startRunner({
      scripts: {
        flood: { sh: 'yes "€uro" | head -c 5000000; echo end >&2; exit 3', maxLogBytes: 10_000 },
      },
    });
    const job = await runner.outcome('flood');
    expect(job.state).toMatchObject({ status: 'failed', exitCode: 3 });
    const log = runner.logBytes(job);
    expect(log.length).toBeLessThan(10_400);
    expect(log.length).toBe(job.logBytes);
    expect(runner.notes(job)).toMatch(/reached its limit of 10000 bytes/);
    expect(runner.notes(job)).toMatch(/\d+ bytes of output were omitted/);
    expect(log.toString('utf8')).not.toContain('\ufffd');
    const logged = Buffer.byteLength(runner.output(job));
    expect(logged + job.logDroppedBytes).toBe(5_000_000 + 4);
  });

  test('[RX-6] 256 MiB of output are logged with less than 120 MB of extra memory', async () => {
    const runner = startRunner({
      scripts: { flood: { sh: 'head -c 268435456 /dev/zero', maxLogBytes: 400_000_000 } },
    });
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
    const job = await runner.outcome('flood');
    clearInterval(watch);
    expect(statSync(join(runner.host.runner.config.logDir, `${job.id}.log`)).size).toBe(
      268_435_458,
    );
    expect(most).toBeGreaterThan(0);
    expect((most - before) / 1e6).toBeLessThan(120);
  }, 60_000);

  test('[RX-6] the limit holds for both streams together, also at the same moment', async () => {
    const folder = tempFolder();
    const options = { folder, jobId: 'job', maxBytes: 100, masker: createMasker() };
    const log = new LogFile({ ...options, onGrow: () => undefined });
    async function* once(text: string): AsyncGenerator<Buffer> {
      yield Buffer.from(text);
    }
    await Promise.all([log.copy('1', once('a'.repeat(80))), log.copy('2', once('b'.repeat(80)))]);
    const { dropped } = await log.close();
    const text = readFileSync(logPath(folder, 'job'), 'utf8').replaceAll('\u001e', '|');
    expect(text).toMatch(/^\|1a{80}\|2b+\n?\|0\n?\[holdfast\] The log reached its limit/);
    const written = /\|2(b+)/.exec(text)?.[1] ?? '';
    expect(written.length + dropped).toBe(80);
    expect(dropped).toBeGreaterThan(50);
  });

  test('[DF-6] a log can be read only by its owner', async () => {
    const runner = startRunner({ scripts: { hi: { sh: 'echo hi' } } });
    const { id } = await runner.outcome('hi');
    const path = logPath(runner.host.runner.config.logDir, id);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('[RX-10] the oldest logs are deleted when all exceed the limit, and their jobs record it', async () => {
    const runner = startRunner({
      scripts: { some: { sh: 'head -c 4000 /dev/zero' } },
      config: { maxLogDirBytes: 10_000 },
    });
    const jobs: RunnerJob[] = [];
    for (let i = 0; i < 4; i += 1) jobs.push(await runner.outcome('some'));
    await expect
      .poll(() => runner.host.stores.runnerJobs.get(jobs[1]?.id ?? '')?.logRemovedAt)
      .not.toBeNull();
    const there = jobs.map(({ id }) =>
      existsSync(join(runner.host.runner.config.logDir, `${id}.log`)),
    );
    expect(there).toEqual([false, false, true, true]);
    const events = runner.host.stores.runnerJobs.events(jobs[0]?.id ?? '');
    expect(events.at(-1)?.type).toBe('log_removed');
    const part = await runner.host.runner.queue.readLog(jobs[0]?.id ?? '', {
      offset: 0,
      limit: 100,
    });
    expect(part).toMatchObject({ data: '', endOffset: 0 });
  });
});

describe('masking', () => {
  test("[RX-9] a script's secret is masked in its log, also when printed in two parts", async () => {
    const runner = startRunner({
      scripts: {
        leak: {
          sh: 'echo "key=$KEY"; printf "%s" "$KEY" | cut -c1-9 | tr -d "\\n"; sleep 0.1; printf "%s\\n" "$KEY" | cut -c10-',
          env: { pass: ['PATH'], secrets: { KEY: 'deploy-key' } },
        },
      },
    });
    const answer = await runner.host.dispatch('secrets.set', {
      name: 'deploy-key',
      value: 'hunter2-and-more',
    });
    expect(answer.ok).toBe(true);
    const job = await runner.outcome('leak');
    const text = runner.logBytes(job).toString('utf8');
    expect(text).not.toContain('hunter2');
    expect(runner.output(job)).toBe('key=•••(deploy-key)\n•••(deploy-key)\n');
  });

  test('[RX-9] secrets are masked wherever the chunks are split', () => {
    const masker = createMasker();
    masker.learn('a', 'aXaXa-aXaXa');
    masker.learn('b', 'aXaXa-aXaXa-longer');
    masker.learn('c', '€uro-pass');
    const words = [
      'aXaXa-aXaXa',
      'aXaXa-aXaXa-longer',
      'aXaXa-aXaXa-long',
      '€uro-pass',
      'aXaX',
      'plain ',
      '€',
    ];
    const outputs = fc.array(fc.constantFrom(...words), { maxLength: 8 });
    fc.assert(
      fc.property(outputs, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (parts, sizes) => {
        const whole = Buffer.from(parts.join(''));
        const mask = new StreamMask(masker);
        const out: Buffer[] = [];
        for (let at = 0; at < whole.length;) {
          const size = sizes.next().value;
          out.push(mask.push(whole.subarray(at, at + size)));
          at += size;
        }
        out.push(mask.end());
        const text = Buffer.concat(out).toString('utf8');
        expect(text).not.toContain('aXaXa-aXaXa');
        expect(text).not.toContain('€uro-pass');
      }),
      { numRuns: 300 },
    );
  });

  test('[RX-9] a secret is masked each time it occurs, and at the end of the output', () => {
    const masker = createMasker();
    masker.learn('short', 'hunter2');
    masker.learn('long', 'hunter2-and-more');
    const mask = new StreamMask(masker);
    const shown = [mask.push(Buffer.from('hunter2 hunter2, hunter2')), mask.end()].join('');
    expect(shown).toBe('•••(short) •••(short), •••(short)');
  });

  test('[RX-9] without secrets every chunk passes unchanged', () => {
    const mask = new StreamMask(createMasker());
    const bytes = Buffer.from([0xff, 0, 0x1e, 0xe2]);
    expect(mask.push(bytes)).toBe(bytes);
    expect(mask.end().length).toBe(0);
  });
});

describe('reading a log by offset', () => {
  const content = fc.array(
    fc.oneof(
      fc
        .constantFrom('a', '€', '😀', '\n', '\u001e1', '\u001e2', '\u001e\u001e')
        .map((text) => Buffer.from(text)),
      fc
        .uint8Array({ minLength: 1, maxLength: 3 })
        .map((bytes) => Buffer.from(bytes.map((b) => (b === 0x1e ? 0 : b)))),
    ),
    { maxLength: 60 },
  );

  test('[RX-7] consecutive parts of any size concatenate to the log', async () => {
    const folder = tempFolder();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 16, max: 40 }), async (pieces, limit) => {
        const bytes = Buffer.concat(pieces);
        const path = join(folder, `${(runs += 1)}.log`);
        writeFileSync(path, bytes);
        let offset = 0;
        let text = '';
        for (;;) {
          const part = await readLogPart(path, { offset, limit, isFinal: true });
          expect(part.offset).toBe(offset);
          text += part.data;
          offset = part.nextOffset;
          if (offset === part.endOffset) break;
          expect(part.data).not.toBe('');
        }
        expect(offset).toBe(bytes.length);
        expect(text).toBe(bytes.toString('utf8'));
      }),
      { numRuns: 150 },
    );
  });

  test('[RX-7] while the log grows, an incomplete character is not returned', async () => {
    const path = join(tempFolder(), 'growing.log');
    const whole = Buffer.from('ab€😀\u001e2x');
    let offset = 0;
    let text = '';
    for (let size = 0; size <= whole.length; size += 1) {
      writeFileSync(path, whole.subarray(0, size));
      const part = await readLogPart(path, { offset, limit: 100, isFinal: false });
      text += part.data;
      offset = part.nextOffset;
      expect(text).toBe(whole.toString('utf8', 0, offset));
      expect(text).not.toContain('\ufffd');
      expect(text.endsWith('\u001e')).toBe(false);
    }
    expect(text).toBe(whole.toString('utf8'));
  });

  test('[RX-7] a read beyond the end returns no data and the end offset', async () => {
    const runner = startRunner({ scripts: { hi: { sh: 'echo hi' } } });
    const job = await runner.outcome('hi');
    const part = await runner.host.runner.queue.readLog(job.id, { offset: 999, limit: 100 });
    expect(part).toEqual({ offset: 5, nextOffset: 5, endOffset: 5, data: '', isFinal: true });
    const none = await readLogPart(join(tempFolder(), 'none.log'), {
      offset: 3,
      limit: 16,
      isFinal: false,
    });
    expect(none).toEqual({ offset: 0, nextOffset: 0, endOffset: 0, data: '' });
  });

  test('[RX-8] a client that reads on each feed message receives the whole log while it is written', async () => {
    const runner = startRunner({
      scripts: { steps: { sh: 'for n in 1 2 3 4 5; do echo line $n; sleep 0.06; done' } },
    });
    const { queue } = runner.host.runner;
    const job = runner.run('steps');
    let offset = 0;
    let text = '';
    let asked = 0;
    await new Promise<void>((resolve, reject) => {
      const ask = async (): Promise<void> => {
        const part = await queue.readLog(job.id, { offset, limit: 1000 });
        if (isRefusal(part)) return reject(new Error(part.message));
        if (part.offset !== offset || part.data === '') return;
        text += part.data;
        offset = part.nextOffset;
        asked += 1;
        if (text.includes('line 5\n')) resolve();
      };
      let last = Promise.resolve();
      runner.host.feed.subscribe((message) => {
        const names =
          message.type === 'changes' &&
          message.changes.some(({ table, ids }) => table === 'runner_logs' && ids.includes(job.id));
        if (names) last = last.then(ask);
      });
    });
    expect(text).toBe('\u001e1line 1\nline 2\nline 3\nline 4\nline 5\n');
    expect(asked).toBeGreaterThan(2);
    await runner.ended(job);
  });
});
