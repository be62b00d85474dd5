// Restoring a backup, with real hosts, real backups and the practice service.
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
import { fail, succeed } from '#test/support/api-calls.ts';
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
  throw new Error('The restore was not refused.');
}

const filesIn = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'host.lock')
      .map(({ name }) => [name, readFileSync(join(dir, name), 'base64')]),
  );

describe('restoring a file', () => {
  it('[BK-4] replaces the database, which is saved with its key and can be put back', async () => {
    const { host, dataDir, workflowId } = await startPoster();
    const file = await backUp(host);
    host.engine.commands.pause(workflowId, 'test');
    await publish(host, workflowId, 'later');
    const { deviceId } = host.folder.identity;
    await host.close();
    const { savedIn, madeAt } = restoreBackup(dataDir, file, Date.now());
    expect(madeAt).toBeGreaterThan(0);
    const restored = startHost(dataDir);
    expect(restored.stores.events.unfinished(workflowId)).toEqual([]);
    await restored.close();

    // Moving the saved files back gives the former database and device.
    const saved = savedIn as string;
    for (const name of readdirSync(saved)) renameSync(join(saved, name), join(dataDir, name));
    const again = startHost(dataDir);
    expect(again.folder.identity).toMatchObject({ deviceId, renewed: null });
    expect(again.stores.events.unfinished(workflowId)).toHaveLength(1);
  });

  it('[BK-4] refuses a missing, damaged, foreign or newer file and changes nothing', async () => {
    const { host, dataDir } = await startPoster();
    const file = await backUp(host);
    const elsewhere = tempFolder();
    const inUse = refusal(() => restoreBackup(dataDir, file, 1));
    expect(inUse.type).toBe('in_use');
    await host.close();
    const before = filesIn(dataDir);

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
      [text, /not a database/],
      [other, /not a Holdfast backup/],
      [future, /version 9999; this Holdfast supports versions up to \d+/],
    ] as const) {
      const error = refusal(() => restoreBackup(dataDir, path, 1));
      expect(error.type).toBe('bad_backup');
      expect(error.message).toMatch(why);
      expect(error.message).toContain('Nothing was changed.');
    }
    expect(filesIn(dataDir)).toEqual(before);
  });

  it('[BK-4] does not apply the WAL that a crash left to the restored database', async () => {
    const { host, dataDir, workflowId } = await startPoster();
    const file = await backUp(host);
    host.engine.commands.pause(workflowId, 'test');
    await publish(host, workflowId, 'later');
    const crashed = tempFolder();
    for (const name of ['holdfast.db', 'holdfast.db-wal']) {
      copyFileSync(join(dataDir, name), join(crashed, name));
    }
    await host.close();
    const { savedIn } = restoreBackup(crashed, file, Date.now());
    expect(existsSync(join(crashed, 'holdfast.db-wal'))).toBe(false);
    expect(startHost(crashed).stores.events.unfinished(workflowId)).toEqual([]);
    const saved = new SQLite(join(savedIn as string, 'holdfast.db'), { readonly: true });
    onTestFinished(() => void saved.close());
    expect(saved.prepare('SELECT count(*) FROM events').pluck().get()).toBe(1);
  });
});

describe('the restored device', () => {
  it('[BK-5] is a new one that owns nothing, even if the file was copied by a person', async () => {
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
    expect(restored.engine.ownership.owns(workflowId)).toBe(false);
    await restored.close();
    const again = startHost(dataDir);
    expect(again.folder.identity).toMatchObject({ deviceId: identity.deviceId, renewed: null });
  });
});

describe('after a restore', () => {
  it('[BK-6] pending events are on hold until a person skips them', async () => {
    const { host, dataDir, practice, workflowId } = await startPoster();
    host.engine.commands.pause(workflowId, 'test');
    await publish(host, workflowId, 'm1');
    const file = await backUp(host);
    host.engine.commands.resume(workflowId);
    await eventually(() => expect(practice.effects()).toHaveLength(1));
    await host.close();

    restoreBackup(dataDir, file, Date.now());
    const restored = startHost(dataDir);
    restored.engine.commands.resume(workflowId);
    await restored.engine.idle();
    expect(practice.effects(), 'nothing is sent automatically').toHaveLength(1);
    expect(await succeed(restored.dispatch, 'restored.get', {})).toMatchObject({
      workflows: [{ id: workflowId, waiting: 1, unfinished: 0, isOurs: false }],
    });
    // A plain take-over leaves it paused, with the reason.
    await succeed(restored.dispatch, 'workflows.takeover', { workflowId });
    await restored.engine.idle();
    expect(practice.effects()).toHaveLength(1);
    const { statusReason } = await succeed(restored.dispatch, 'workflows.get', { workflowId });
    expect(statusReason).toMatch(/^Restored from a backup of .* UTC\..* 1 waiting event, 0 unfin/);

    const resumed = await succeed(restored.dispatch, 'restored.goOn', {
      workflowId,
      waiting: 'skip',
    });
    expect(resumed).toEqual({ skipped: 1, openQuestions: 0 });
    await restored.engine.idle();
    expect(practice.effects(), 'skipped').toHaveLength(1);
    expect((await succeed(restored.dispatch, 'restored.get', {})).workflows).toEqual([]);
    await publish(restored, workflowId, 'm2');
    await eventually(() => expect(practice.effects()).toHaveLength(2));
  });

  it('[BK-9] a plain resume is refused until a person chose what happens to the pending work', async () => {
    const { host, dataDir, practice, workflowId } = await startPoster();
    const file = await backUp(host);
    await host.close();
    restoreBackup(dataDir, file, Date.now());
    const restored = startHost(dataDir);
    const refuse = async (): Promise<void> => {
      const error = await fail(restored.dispatch, 'workflows.resume', { workflowId });
      expect(error).toMatchObject({ type: 'conflict' });
      expect(error.message).toContain('from a backup or an older copy');
    };
    await refuse();
    await succeed(restored.dispatch, 'workflows.takeover', { workflowId });
    await refuse();
    await succeed(restored.dispatch, 'restored.goOn', { workflowId, waiting: 'skip' });
    // A pause of a person is not a hold of the restore.
    await succeed(restored.dispatch, 'workflows.pause', { workflowId, reason: 'Lunch' });
    expect((await succeed(restored.dispatch, 'restored.get', {})).workflows).toEqual([]);
    await succeed(restored.dispatch, 'workflows.resume', { workflowId });
    expect(practice.effects()).toEqual([]);
  });

  it('[BK-6] an effect in flight becomes an inbox item and is not sent again', async () => {
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

  it('[BK-7] a peer sends the later changes, and processed events are not processed again', async () => {
    const { host, dataDir, practice, workflowId } = await startPoster();
    const other = startHost();
    await pairHosts(host, other);
    await untilLive(host, other);
    host.engine.commands.pause(workflowId, 'test');
    await publish(host, workflowId, 'm1');
    const file = await backUp(host);
    host.engine.commands.resume(workflowId);
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

it('[BK-8] queued jobs of a backup do not start, and a check for them gives unknown', async () => {
  const dataDir = tempFolder();
  const scripts = { count: { sh: 'echo ran >> ran.txt' } };
  const first = startRunner({ scripts, dataDir, config: { isEnabled: false } });
  const job = first.run('count', { requestedBy: 'workflow', idempotencyKey: 'effect-1' });
  const file = await backUp(first.host);
  await first.host.close();

  restoreBackup(dataDir, file, Date.now());
  const restored = startRunner({ scripts, dataDir });
  const tools = { runner: createRunnerTool(restored.host.runner) };
  const check = (effectId: string, sentAt: number): Promise<unknown> =>
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
  expect(await check('effect-1', job.createdAt)).toMatchObject({ type: 'unknown', isFinal: true });
  expect(await check('effect-2', job.createdAt)).toMatchObject({ type: 'unknown', isFinal: true });
  const later = restored.host.runner.recordsSince + 1;
  expect(await check('effect-3', later)).toEqual({ type: 'not_there', windowMs: 0 });
  await restored.outcome('count');
  expect(readFileSync(join(restored.repo, 'ran.txt'), 'utf8')).toBe('ran\n');
});

it('[BK-4] [BK-6] the restore and restored commands restore, list and resume without sending', async () => {
  const { host, dataDir, practice, workflowId } = await startPoster();
  const data = ['--data', dataDir];
  host.engine.commands.pause(workflowId, 'test');
  await publish(host, workflowId, 'm1');
  const file = await backUp(host);
  await host.close();
  expect(await refused('restore', join(dataDir, 'none.db'), ...data)).toMatch(/There is no file/);
  const printed = await succeeds('restore', file, ...data);
  expect(printed).toMatch(/^Restored the backup of .* as the database of /);
  expect(printed).toContain('The replaced database is saved in ');
  expect(await succeeds('restored', ...data)).toMatch(/poster +1 +0\n$/);
  expect(await refused('restored', 'poster', ...data)).toMatch(/--skip .* or --again/);
  expect(await succeeds('restored', 'poster', '--skip', ...data)).toBe(
    'This device now runs "poster". Skipped: 1.\n',
  );
  expect((await holdfast('restored', ...data)).stdout).toMatch(/No workflow is on hold/);
  expect(practice.effects()).toEqual([]);
});
