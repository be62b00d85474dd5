// Databases that went back in time under a real host: one file, the whole folder, a backup made before
// a migration, and the snapshot of a machine whose peer knows more.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HighWaterMark, readGeneration, readMark } from '#main/data-folder/high-water-mark.ts';
import type { Host } from '#main/host/host.ts';
import { startPractice, type Practice } from '#main/practice/practice.ts';
import { latestVersion, loadMigrations, migrateFile } from '#main/store/sqlite/migrate.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { postingWorkflow } from '#test/cli/holdfast.ts';
import { MARK_EVERY_MS } from '#shared/limits.ts';
import { succeed } from '#test/support/api-calls.ts';
import { eventually } from '#test/support/eventually.ts';
import { pairHosts, startHost, untilEqual, untilLive } from '#test/support/paired-hosts.ts';
import { addWorkflow, openStore } from '#test/support/open-store.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { createVirtualClock } from '#test/support/virtual-clock.ts';

interface Machine {
  readonly dataDir: string;
  readonly stateDir: string;
  readonly practice: Practice;
  readonly workflowId: string;
  /** Starts the host on the folder as it is. */
  start(): Host;
  /** A copy of the data folder, and of the state folder if the whole machine is meant. */
  snapshot(what: 'data' | 'machine'): () => void;
}

/** A stopped machine with one workflow and one event that no run has taken. */
async function machine(onStart: (host: Host) => Promise<void> = async () => undefined) {
  const practice = await startPractice({ port: 0 });
  onTestFinished(() => practice.close());
  const dataDir = tempFolder();
  const stateDir = tempFolder();
  const start = (): Host => startHost(dataDir, { stateDir });
  const path = join(tempFolder(), 'poster.ts');
  writeFileSync(path, postingWorkflow(new URL(practice.url).host));
  const first = start();
  const { workflowId } = await succeed(first.dispatch, 'workflows.add', { path });
  await onStart(first);
  await first.close();
  const idle = startHost(dataDir, { stateDir, runsWorkflows: false });
  await publish(idle, workflowId, 'm1');
  await idle.close();
  const made: Machine = {
    dataDir,
    stateDir,
    practice,
    workflowId,
    start,
    snapshot: (what) => {
      const dirs = what === 'machine' ? [dataDir, stateDir] : [dataDir];
      const restores = dirs.map((dir) => copyOf(dir));
      return () => restores.forEach((restore) => restore());
    },
  };
  return made;
}

/** Restores the content in place, so that inodes stay, as a snapshot and rsync do. */
function copyOf(dir: string): () => void {
  const copy = tempFolder();
  cpSync(dir, copy, { recursive: true });
  return () => {
    for (const name of readdirSync(dir)) {
      if (!existsSync(join(copy, name))) rmSync(join(dir, name), { recursive: true });
    }
    for (const entry of readdirSync(copy, { withFileTypes: true })) {
      const from = join(copy, entry.name);
      if (entry.isFile()) writeFileSync(join(dir, entry.name), readFileSync(from));
    }
  };
}

function publish(host: Host, workflowId: string, messageId: string): Promise<unknown> {
  return succeed(host.dispatch, 'events.publish', {
    workflowId,
    topic: 'in',
    messageId,
    title: messageId,
    payload: {},
  });
}

async function untilDone(host: Host, { practice }: Machine, count: number): Promise<void> {
  await eventually(() => expect(practice.effects()).toHaveLength(count));
  await eventually(() =>
    expect(host.folder.db.value(`SELECT count(*) FROM events WHERE status = 'consumed'`)).toBe(
      count,
    ),
  );
  await host.engine.idle();
}

const restored = (host: Host) => succeed(host.dispatch, 'restored.get', {});
const asking = async (host: Host) => (await succeed(host.dispatch, 'startCheck.get', {})).asking;

function putBackDatabase(dataDir: string, saved: string): void {
  for (const suffix of ['-wal', '-shm'])
    rmSync(join(dataDir, `holdfast.db${suffix}`), { force: true });
  cpSync(saved, join(dataDir, 'holdfast.db'));
}

function setVersion(file: string, version: number): void {
  const db = new Database(file);
  db.exec(`PRAGMA user_version = ${version}`);
  db.close();
}

function saveDatabase(dataDir: string): string {
  const saved = join(tempFolder(), 'saved.db');
  cpSync(join(dataDir, 'holdfast.db'), saved);
  return saved;
}

/** A clean start waits for nobody, so it must act quickly or not at all. */
async function expectNothingSent(host: Host, { practice }: Machine): Promise<void> {
  await host.engine.idle();
  await new Promise((done) => setImmediate(done));
  await host.engine.idle();
  expect(practice.effects()).toHaveLength(1);
}

describe('a database that went back, without peers', () => {
  it('[GB-1] [GB-2] an older file that is put back sends nothing until a person decides', async () => {
    const here = await machine();
    const saved = saveDatabase(here.dataDir);
    const host = here.start();
    await untilDone(host, here, 1);
    await host.close();
    putBackDatabase(here.dataDir, saved);
    const again = here.start();
    expect(again.folder.identity.renewed).toBe('backup restored');
    await expectNothingSent(again, here);
    expect(await restored(again)).toMatchObject({ workflows: [{ waiting: 1 }] });
    const { workflowId } = here;
    await succeed(again.dispatch, 'restored.goOn', { workflowId, waiting: 'skip' });
    await expectNothingSent(again, here);
    await again.close();
    // Noticed once: what is done after that is the present.
    const later = here.start();
    expect((await restored(later)).workflows).toEqual([]);
    await publish(later, workflowId, 'm2');
    await eventually(() => expect(here.practice.effects()).toHaveLength(2));
  });

  it('[GB-1] the whole folder that is put back is noticed by the mark outside of it', async () => {
    const here = await machine();
    const putBack = here.snapshot('data');
    const host = here.start();
    await untilDone(host, here, 1);
    await host.close();
    putBack();
    const again = here.start();
    await expectNothingSent(again, here);
    expect(await restored(again)).toMatchObject({ workflows: [{ waiting: 1 }] });
  });

  it('[GB-1] without a place outside of the folder, an older file is still noticed', async () => {
    const here = await machine();
    rmSync(here.stateDir, { recursive: true });
    writeFileSync(here.stateDir, 'a file where the folder should be');
    const saved = saveDatabase(here.dataDir);
    const host = here.start();
    await untilDone(host, here, 1);
    await host.close();
    putBackDatabase(here.dataDir, saved);
    const again = here.start();
    await expectNothingSent(again, here);
    expect(await restored(again)).toMatchObject({ workflows: [{ waiting: 1 }] });
  });

  it('[GB-1] a folder that was moved or never put back is not taken for an older one', async () => {
    const here = await machine();
    for (let start = 0; start < 3; start += 1) {
      const host = here.start();
      expect((await restored(host)).madeAt).toBe(null);
      expect(host.folder.identity.renewed).toBe(null);
      if (start === 1) await host.kill();
      else await host.close();
    }
  });

  it('[GB-7] a backup made before a migration carries the mark of a backup', async () => {
    const here = await machine();
    const database = join(here.dataDir, 'holdfast.db');
    const version = latestVersion(loadMigrations());
    setVersion(database, version - 1);
    const last = { version, name: 'same', sql: '' };
    const { backup } = migrateFile(database, [last], Date.now());
    rmSync(here.stateDir, { recursive: true });
    rmSync(join(here.dataDir, 'high-water-mark.json'));
    const host = here.start();
    await untilDone(host, here, 1);
    await host.close();
    rmSync(here.stateDir, { recursive: true });
    rmSync(join(here.dataDir, 'high-water-mark.json'));
    setVersion(backup as string, version);
    putBackDatabase(here.dataDir, backup as string);
    const again = here.start();
    await expectNothingSent(again, here);
    expect(again.folder.identity.renewed).toBe('backup restored');
    expect(await restored(again)).toMatchObject({ workflows: [{ waiting: 1 }] });
  });
});

describe('a database that went back, with peers', () => {
  it('[GB-3] a peer that has everything gives it back, and work goes on by itself', async () => {
    const other = startHost();
    const here = await machine(async (host) => {
      await pairHosts(host, other);
      await untilLive(host, other);
    });
    const putBack = here.snapshot('data');
    const host = here.start();
    const { deviceId } = host.folder.identity;
    await untilDone(host, here, 1);
    await untilEqual(host, other);
    await host.close();
    putBack();
    const again = here.start();
    expect(again.folder.identity).toMatchObject({ deviceId, renewed: null });
    expect(await asking(again)).toMatchObject({
      reason: 'went_back',
      waitsFor: [{ deviceId: other.folder.identity.deviceId }],
    });
    await eventually(async () => expect(await asking(again)).toBe(null));
    await expectNothingSent(again, here);
    expect((await restored(again)).madeAt).toBe(null);
    await publish(again, here.workflowId, 'm2');
    await eventually(() => expect(here.practice.effects()).toHaveLength(2));
    await untilEqual(again, other);
  });

  it('[GB-3] [GB-6] without an answer, work that may be done waits for a person', async () => {
    const other = startHost();
    const here = await machine(async (host) => {
      await pairHosts(host, other);
      await untilLive(host, other);
    });
    await other.close();
    const saved = saveDatabase(here.dataDir);
    const host = here.start();
    await untilDone(host, here, 1);
    await host.close();
    putBackDatabase(here.dataDir, saved);
    const again = here.start();
    expect(await asking(again)).toMatchObject({ reason: 'went_back' });
    await succeed(again.dispatch, 'startCheck.goOn', {});
    expect(await asking(again)).toBe(null);
    await expectNothingSent(again, here);
    expect(await restored(again)).toMatchObject({ workflows: [{ waiting: 1, isOurs: true }] });
    const { workflowId } = here;
    await succeed(again.dispatch, 'restored.goOn', { workflowId, waiting: 'skip' });
    await publish(again, workflowId, 'm2');
    await eventually(() => expect(here.practice.effects()).toHaveLength(2));
  });

  it.each([1, 2])(
    '[GB-4] the snapshot of a running machine asks its %i peers before it acts',
    async (count) => {
      const others = Array.from({ length: count }, () => startHost());
      const here = await machine(async (host) => {
        for (const other of others) {
          await pairHosts(host, other);
          await untilLive(host, other);
        }
      });
      const host = here.start();
      const putBack = here.snapshot('machine');
      await untilDone(host, here, 1);
      await untilEqual(host, ...others);
      await host.kill();
      // Of two, one is away: it is asked, and waited for no longer than the silence.
      for (const other of others.slice(1)) await other.close();
      putBack();
      const again = here.start();
      expect((await asking(again))?.waitsFor).toHaveLength(count);
      await eventually(async () => expect(await asking(again)).toBe(null));
      await expectNothingSent(again, here);
      await untilEqual(again, others[0] as Host);
      expect((await restored(again)).madeAt).toBe(null);
    },
  );

  it('[GB-4] a killed host without peers starts at once', async () => {
    const here = await machine();
    const host = here.start();
    await untilDone(host, here, 1);
    await host.kill();
    const again = here.start();
    expect(await asking(again)).toBe(null);
    expect(again.engine.isStarted).toBe(true);
  });
});

describe('the marks', () => {
  it('[GB-1] both files say how far the database got, and whether the stop was clean', async () => {
    const here = await machine();
    const host = here.start();
    const { deviceId } = host.folder.identity;
    const places = { dataDir: here.dataDir, stateDir: here.stateDir };
    const mark = readMark(places, deviceId);
    expect(mark).toMatchObject({ isOpen: true });
    await untilDone(host, here, 1);
    await host.close();
    const last = readMark(places, deviceId);
    expect(last?.generation).toBeGreaterThan(mark?.generation ?? 0);
    expect(last).toMatchObject({ isOpen: false });
    for (const stateDir of [null, here.stateDir]) {
      expect(
        readMark({ dataDir: stateDir ? tempFolder() : here.dataDir, stateDir }, deviceId),
      ).toEqual(last);
    }
  });

  it('[GB-1] they follow within a second, and never get ahead of what is on disk', async () => {
    const clock = createVirtualClock();
    const waiting: (() => void)[] = [];
    const store = openStore(
      'device-a',
      undefined,
      { fsync: (done) => void waiting.push(() => done(null)) },
      clock,
    );
    const places = { dataDir: tempFolder(), stateDir: tempFolder() };
    const { db } = store;
    const mark = new HighWaterMark({
      ...places,
      db,
      clock,
      deviceId: 'device-a',
      from: 0,
      wasOpen: false,
    });
    mark.start(store.lineages);
    addWorkflow(store);
    const generationOf = (): number => readMark(places, 'device-a')?.generation ?? 0;
    expect(generationOf()).toBe(1);
    await clock.advance(MARK_EVERY_MS);
    expect([readGeneration(db).generation, generationOf(), waiting.length]).toEqual([2, 1, 1]);
    waiting.pop()?.();
    await new Promise((done) => setImmediate(done));
    expect(readMark(places, 'device-a')).toEqual({
      deviceId: 'device-a',
      generation: 2,
      lineage: store.lineages.newest,
      version: store.lineages.workVersion(),
      isOpen: true,
    });
    // Without a commit there is nothing to record.
    await clock.advance(10 * MARK_EVERY_MS);
    expect(readGeneration(db).generation).toBe(2);
    mark.abandon();
  });

  it('[GB-1] a command that runs nothing keeps the trace of an unclean stop', async () => {
    const here = await machine();
    const host = here.start();
    const { deviceId } = host.folder.identity;
    await untilDone(host, here, 1);
    await host.kill();
    await startHost(here.dataDir, { stateDir: here.stateDir, runsWorkflows: false }).close();
    const mark = readMark({ dataDir: here.dataDir, stateDir: here.stateDir }, deviceId);
    expect(mark).toMatchObject({ isOpen: true });
  });

  it('[GB-1] a mark that a power cut tore counts as an unclean stop, not as a clean one', async () => {
    const here = await machine();
    writeFileSync(join(here.dataDir, 'high-water-mark.json'), '{"devi');
    rmSync(here.stateDir, { recursive: true });
    const host = here.start();
    expect(host.folder.wasUnclean).toBe(true);
  });
});
