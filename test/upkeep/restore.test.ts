// Back to a backup: with real hosts, real backups, and a service that counts what reached it.
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Host } from '#main/host/host.ts';
import { StartError } from '#main/platform/start-error.ts';
import { startPractice, type Practice } from '#main/practice/practice.ts';
import { createRunnerTool } from '#main/tools/runner/runner.ts';
import { reconcileMutation } from '#main/tools/call-tool.ts';
import { restoreBackup } from '#main/upkeep/restore.ts';
import { holdfast, postingWorkflow, refused, succeeds } from '#test/cli/holdfast.ts';
import { succeed } from '#test/support/api-calls.ts';
import { eventually } from '#test/support/eventually.ts';
import { pairHosts, startHost, untilEqual, untilLive } from '#test/support/paired-hosts.ts';
import { startRunner } from '#test/support/start-runner.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { testHost } from '#test/tools/call-host.ts';

interface Poster {
  readonly host: Host;
  readonly dataDir: string;
  readonly practice: Practice;
  readonly workflowId: string;
}

async function startPoster(dataDir = tempFolder()): Promise<Poster> {
  const practice = await startPractice({ port: 0 });
  onTestFinished(() => practice.close());
  const host = startHost(dataDir);
  const path = join(tempFolder(), 'poster.ts');
  writeFileSync(path, postingWorkflow(new URL(practice.url).host));
  const { workflowId } = await succeed(host.dispatch, 'workflows.add', { path });
  return { host, dataDir, practice, workflowId };
}

const publish = (host: Host, workflowId: string, messageId: string): Promise<unknown> =>
  succeed(host.dispatch, 'events.publish', {
    workflowId,
    topic: 'in',
    messageId,
    title: messageId,
    payload: {},
  });

const backUp = async (host: Host): Promise<string> =>
  (await succeed(host.dispatch, 'backups.make', {})).file;

function refusal(work: () => unknown): StartError {
  try {
    work();
  } catch (error) {
    if (error instanceof StartError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}

const everything = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'host.lock')
      .map(({ name }) => [name, readFileSync(join(dir, name), 'base64')]),
  );

describe('the file', () => {
  it('[BK-4] takes the place of the database, which is kept whole with its key', async () => {
    const { host, dataDir, workflowId } = await startPoster();
    const file = await backUp(host);
    host.engine.pause(workflowId, 'test');
    await publish(host, workflowId, 'later');
    const { deviceId } = host.folder.identity;
    await host.close();
    const { keptIn, madeAt } = restoreBackup(dataDir, file, Date.now());
    expect(madeAt).toBeGreaterThan(0);
    const restored = startHost(dataDir);
    expect(restored.stores.events.unfinished(workflowId)).toEqual([]);
    await restored.close();

    // And back again: what was kept is the folder as it was, the same device included.
    const kept = keptIn as string;
    for (const name of readdirSync(kept)) renameSync(join(kept, name), join(dataDir, name));
    const again = startHost(dataDir);
    expect(again.folder.identity).toMatchObject({ deviceId, renewed: null });
    expect(again.stores.events.unfinished(workflowId)).toHaveLength(1);
  });

  it('[BK-4] what is no sound backup is refused, and nothing was changed', async () => {
    const { host, dataDir } = await startPoster();
    const file = await backUp(host);
    const elsewhere = tempFolder();
    const inUse = refusal(() => restoreBackup(dataDir, file, 1));
    expect(inUse.type).toBe('in_use');
    await host.close();
    const before = everything(dataDir);

    const damaged = join(elsewhere, 'damaged.db');
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 4096 * 3, 4096 * 12);
    writeFileSync(damaged, bytes);
    const text = join(elsewhere, 'text.db');
    writeFileSync(text, 'this is no database at all, only some text that is long enough');
    const other = join(elsewhere, 'other.db');
    new SQLite(other).exec('CREATE TABLE t (a)').close();
    const future = join(elsewhere, 'future.db');
    copyFileSync(file, future);
    const sqlite = new SQLite(future);
    sqlite.pragma('user_version = 9999');
    sqlite.close();
    for (const [path, why] of [
      [join(elsewhere, 'none.db'), /There is no file/],
      [damaged, /damaged/],
      [text, /no database/],
      [other, /not a backup of Holdfast/],
      [future, /version 9999; this Holdfast knows versions up to \d+/],
    ] as const) {
      const error = refusal(() => restoreBackup(dataDir, path, 1));
      expect(error.type).toBe('bad_backup');
      expect(error.message).toMatch(why);
      expect(error.message).toContain('Nothing was changed.');
    }
    expect(everything(dataDir)).toEqual(before);
  });

  it('[BK-4] a log that a crash left beside the old file is not read into the new one', async () => {
    const { host, dataDir, workflowId } = await startPoster();
    const file = await backUp(host);
    host.engine.pause(workflowId, 'test');
    await publish(host, workflowId, 'later');
    const crashed = tempFolder();
    for (const name of ['holdfast.db', 'holdfast.db-wal']) {
      copyFileSync(join(dataDir, name), join(crashed, name));
    }
    await host.close();
    const { keptIn } = restoreBackup(crashed, file, Date.now());
    expect(existsSync(join(crashed, 'holdfast.db-wal'))).toBe(false);
    expect(startHost(crashed).stores.events.unfinished(workflowId)).toEqual([]);
    const kept = new SQLite(join(keptIn as string, 'holdfast.db'), { readonly: true });
    onTestFinished(() => void kept.close());
    expect(kept.prepare('SELECT count(*) FROM events').pluck().get()).toBe(1);
  });
});

describe('the device', () => {
  it('[BK-5] is a new one, also when the file was put there by hand', async () => {
    const { host, dataDir, workflowId } = await startPoster();
    const site = host.folder.db.value<string>('SELECT hex(crsql_site_id())');
    const { deviceId } = host.folder.identity;
    const file = await backUp(host);
    await host.close();
    for (const suffix of ['-wal', '-shm']) {
      expect(existsSync(join(dataDir, `holdfast.db${suffix}`))).toBe(false);
    }
    copyFileSync(file, join(dataDir, 'holdfast.db'));
    const restored = startHost(dataDir);
    const { identity, db } = restored.folder;
    expect(identity.renewed).toBe('backup restored');
    expect(identity.deviceId).not.toBe(deviceId);
    expect(db.value('SELECT hex(crsql_site_id())')).not.toBe(site);
    expect(restored.engine.owns(workflowId)).toBe(false);
    await restored.close();
    const again = startHost(dataDir);
    expect(again.folder.identity).toMatchObject({ deviceId: identity.deviceId, renewed: null });
  });
});

describe('what could happen again', () => {
  it('[BK-6] what waited is held, and skipped or done as the person says', async () => {
    const { host, dataDir, practice, workflowId } = await startPoster();
    host.engine.pause(workflowId, 'test');
    await publish(host, workflowId, 'm1');
    const file = await backUp(host);
    host.engine.resume(workflowId);
    await eventually(() => expect(practice.effects()).toHaveLength(1));
    await host.close();

    restoreBackup(dataDir, file, Date.now());
    const restored = startHost(dataDir);
    restored.engine.resume(workflowId);
    await restored.engine.idle();
    expect(practice.effects(), 'nothing runs by itself').toHaveLength(1);
    expect(await succeed(restored.dispatch, 'restored.get', {})).toMatchObject({
      workflows: [{ id: workflowId, waiting: 1, unfinished: 0, isOurs: false }],
    });
    // Taken over as any workflow: it stands still, with the reason.
    await succeed(restored.dispatch, 'workflows.takeover', { workflowId });
    await restored.engine.idle();
    expect(practice.effects()).toHaveLength(1);
    const { statusReason } = await succeed(restored.dispatch, 'workflows.get', { workflowId });
    expect(statusReason).toMatch(
      /^It goes on from a backup of .* UTC\..* 1 waiting event, 0 unfin/,
    );

    const gone = await succeed(restored.dispatch, 'restored.goOn', { workflowId, waiting: 'skip' });
    expect(gone).toEqual({ skipped: 1, openQuestions: 0 });
    await restored.engine.idle();
    expect(practice.effects(), 'skipped').toHaveLength(1);
    expect((await succeed(restored.dispatch, 'restored.get', {})).workflows).toEqual([]);
    await publish(restored, workflowId, 'm2');
    await eventually(() => expect(practice.effects()).toHaveLength(2));
  });

  it('[BK-6] what was in flight is a question, and is not sent', async () => {
    const { host, dataDir, practice, workflowId } = await startPoster();
    await fetch(`${practice.url}/faults`, {
      method: 'POST',
      body: JSON.stringify({ mode: 'delay', ms: 60_000 }),
    });
    await publish(host, workflowId, 'm1');
    await eventually(() => expect(practice.effects()).toHaveLength(1));
    expect(host.stores.mutations.byStatus('in_flight')).toHaveLength(1);
    const file = await backUp(host);
    await host.close();

    restoreBackup(dataDir, file, Date.now());
    const restored = startHost(dataDir);
    const { openQuestions } = await succeed(restored.dispatch, 'restored.goOn', {
      workflowId,
      waiting: 'do',
    });
    await restored.engine.idle();
    expect(openQuestions).toBe(1);
    expect(practice.effects()).toHaveLength(1);
    const { items } = await succeed(restored.dispatch, 'inbox.list', {});
    expect(items).toHaveLength(1);
  });

  it('[BK-7] other devices give back what they have, and it is not done again', async () => {
    const { host, dataDir, practice, workflowId } = await startPoster();
    const other = startHost();
    await pairHosts(host, other);
    await untilLive(host, other);
    host.engine.pause(workflowId, 'test');
    await publish(host, workflowId, 'm1');
    const file = await backUp(host);
    host.engine.resume(workflowId);
    await eventually(() => expect(practice.effects()).toHaveLength(1));
    await host.engine.idle();
    await untilEqual(host, other);
    await host.close();

    restoreBackup(dataDir, file, Date.now());
    const restored = startHost(dataDir);
    expect((await succeed(restored.dispatch, 'restored.get', {})).workflows).toMatchObject([
      { waiting: 1 },
    ]);
    await pairHosts(other, restored);
    await untilLive(other, restored);
    await untilEqual(other, restored);
    expect((await succeed(restored.dispatch, 'restored.get', {})).workflows).toMatchObject([
      { waiting: 0, unfinished: 0 },
    ]);
    await succeed(restored.dispatch, 'restored.goOn', { workflowId, waiting: 'do' });
    await restored.engine.idle();
    expect(practice.effects()).toHaveLength(1);
    await publish(other, workflowId, 'm2');
    await eventually(() => expect(practice.effects()).toHaveLength(2));
    await untilEqual(other, restored);
  });
});

it('[BK-8] jobs of the runner do not start again, and nobody claims that they did not run', async () => {
  const dataDir = tempFolder();
  const scripts = { count: { sh: 'echo ran >> ran.txt' } };
  const first = startRunner({ scripts, dataDir, config: { isEnabled: false } });
  const job = first.run('count', { requestedBy: 'workflow', idempotencyKey: 'effect-1' });
  const file = await backUp(first.host);
  await first.host.close();

  restoreBackup(dataDir, file, Date.now());
  const restored = startRunner({ scripts, dataDir });
  const tools = { runner: createRunnerTool(restored.host.runner) };
  const ask = (effectId: string, sentAt: number): Promise<unknown> =>
    reconcileMutation(
      tools,
      {
        namespace: 'runner',
        method: 'run',
        params: { script: 'count', repo: 'main' },
        grant: { scripts: ['count'] },
        effectId,
        sentAt,
      },
      testHost(),
    );
  expect(restored.host.stores.runnerJobs.get(job.id)?.state).toMatchObject({ status: 'failed' });
  expect(await ask('effect-1', job.createdAt)).toMatchObject({ type: 'unknown', isFinal: true });
  expect(await ask('effect-2', job.createdAt)).toMatchObject({ type: 'unknown', isFinal: true });
  const later = restored.host.runner.recordsSince + 1;
  expect(await ask('effect-3', later)).toEqual({ type: 'did_not_happen' });
  await restored.outcome('count');
  expect(readFileSync(join(restored.repo, 'ran.txt'), 'utf8')).toBe('ran\n');
});

it('[BK-4] [BK-6] from the command line', async () => {
  const { host, dataDir, practice, workflowId } = await startPoster();
  const data = ['--data', dataDir];
  host.engine.pause(workflowId, 'test');
  await publish(host, workflowId, 'm1');
  const file = await backUp(host);
  await host.close();
  expect(await refused('restore', join(dataDir, 'none.db'), ...data)).toMatch(/There is no file/);
  const told = await succeeds('restore', file, ...data);
  expect(told).toMatch(/^The backup of .* is now the database of /);
  expect(told).toContain('is kept, whole, in ');
  expect(await succeeds('restored', ...data)).toMatch(/poster +1 +0\n$/);
  expect(await refused('restored', 'poster', ...data)).toMatch(/--skip .* or --again/);
  expect(await succeeds('restored', 'poster', '--skip', ...data)).toBe(
    '"poster" is run by this device now. Skipped: 1.\n',
  );
  expect((await holdfast('restored', ...data)).stdout).toMatch(/No workflow stands still/);
  expect(practice.effects()).toEqual([]);
});
