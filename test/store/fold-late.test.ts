// The log goes into the file, and the disk takes its time over it, or fails.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Database } from '#main/store/database.ts';
import { runNode, runProgram } from '#test/support/processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const notHere = await whyNotHere();

describe.skipIf(notHere)(`a disk that waits or fails${notHere && ` (not run: ${notHere})`}`, () => {
  it('[DB-14] what is committed while the disk works on a fold survives a power cut, and so does what was folded', async () => {
    expect(await play('power cut')).toEqual({
      whileItWorks: { found: { count: 1002, isSound: 'ok' }, state: 'working' },
      onceDone: 'done',
    });
  });

  it('[DB-14] the thread goes on meanwhile, and the log begins anew when the disk has it all', async () => {
    expect(await play('done')).toEqual({
      before: { isFolded: false, log: { isLong: true, folded: expect.any(Number), open: 1 } },
      after: { isLong: true, folded: expect.any(Number), open: 0 },
      anew: { isLong: false, folded: 0, open: 1 },
    });
  });

  it('[DB-14] of a log that another connection has begun anew nothing counts as folded', async () => {
    expect(await play('begun anew by another')).toEqual({ state: 'done', found: 3 });
  });

  it('[DB-14] what the disk lost is folded again, all of it, before anything counts as on disk', async () => {
    expect(await play('fails')).toEqual({
      afterFailure: {
        state: 'failed',
        log: { isLong: true, folded: 0, open: expect.any(Number) },
      },
      synced: ['sync', 'failed', 'sync', 'synced'],
      found: { count: 1001, isSound: 'ok' },
    });
  });

  it('[DB-14] a database that is closed waits for the disk before its log goes away', async () => {
    expect(await play('is closed')).toEqual({ trace: ['sync', 'synced', 'log removed'] });
    expect(await play('fails and is closed')).toEqual({
      trace: ['sync', 'failed', 'sync', 'synced', 'log removed'],
      found: { count: 1000, isSound: 'ok' },
    });
  });
});

async function play(scenario: string): Promise<unknown> {
  const folder = tempFolder();
  const { stdout, stderr } = await runNode(
    'test/support/workers/fold-late.ts',
    [scenario, folder],
    { LD_PRELOAD: await failingDisk(), FAILING_DISK: folder },
  );
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

async function failingDisk(): Promise<string> {
  const library = join(tempFolder(), 'failing-disk.so');
  const args = ['-shared', '-fPIC', '-o', library, 'test/support/failing-disk.c', '-ldl'];
  expect(await runProgram('cc', args, process.cwd())).toMatchObject({ code: 0, stderr: '' });
  return library;
}

async function whyNotHere(): Promise<string> {
  if (process.platform !== 'linux') return 'only Linux loads a disk of ours before its own';
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  const db = new Database(join(folder, 'any.db'));
  const state = db.pragma('fold_sync');
  db.close();
  rmSync(folder, { recursive: true });
  if (state === undefined) return 'cr-sqlite is the release, which has nothing of ours';
  const { code } = await runProgram('cc', ['--version'], '.').catch(() => ({ code: 1 }));
  return code === 0 ? '' : 'there is no C compiler';
}
