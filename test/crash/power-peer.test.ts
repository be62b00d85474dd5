// Two paired host processes; the disks of both are recorded. One loses power at any moment, while the
// other has heard everything that it could hear until then.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import SQLite from 'better-sqlite3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { succeeds } from '#test/cli/holdfast.ts';
import { effectsOf } from '#test/crash/matrix/answer-inbox.ts';
import { auditAnytime } from '#test/crash/matrix/audit.ts';
import { unrecordedEffects } from '#test/crash/matrix/judge.ts';
import { startOutside } from '#test/crash/matrix/matrix-processes.ts';
import { workflowSource } from '#test/crash/matrix/workflow-source.ts';
import {
  imageAfterCut,
  SURVIVALS,
  type Files,
  type Survival,
} from '#test/crash/power/disk-image.ts';
import { readDiskLog, type DiskOperation } from '#test/crash/power/disk-log.ts';
import { canRecordDisk, recorderEnv, whyNoDisk } from '#test/crash/power/disk-recorder.ts';
import { restoreFolder } from '#test/crash/power/folder-image.ts';
import { exitOf, serveHost, startNode, type ServedHost } from '#test/support/child-processes.ts';
import { readRows } from '#test/support/read-rows.ts';
import { createRandom } from '#test/support/seeded-random.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const LOOPBACK = { HOLDFAST_LINK_HOST: '127.0.0.1' };
const CELL = 'power-peer';
/** Moments at which the disk is checked without starting a host. */
const AUDITED = 80;

interface Recorded {
  readonly dir: string;
  readonly operations: readonly DiskOperation[];
  readonly kept: ReadonlyMap<string, string>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function pair(inviter: string, joiner: string): Promise<void> {
  const inviting = startNode('bin/holdfast.mjs', ['pair', '--json', '--data', inviter], LOOPBACK);
  const ended = exitOf(inviting);
  const lines = createInterface({ input: inviting.stdout })[Symbol.asyncIterator]();
  const { link } = JSON.parse((await lines.next()).value as string) as { link: string };
  await succeeds('pair', link, '--data', joiner);
  expect(await ended).toBe(0);
}

async function kill({ child }: ServedHost): Promise<void> {
  const ended = exitOf(child);
  child.kill('SIGKILL');
  await ended;
}

function eventually<Result>(check: () => Result): Promise<Result> {
  return vi.waitFor(check, { timeout: 120_000, interval: 100 });
}

/** Every order was made and committed, as far as this folder knows. */
function expectDone(dir: string): void {
  const rows = readRows(dir);
  const phases = (rows['handler_runs'] ?? []).map((row) => (row as { phase: string }).phase);
  const effects = (rows['mutations'] ?? []).map((row) => (row as { status: string }).status);
  expect(phases.filter((phase) => !/^(?:committed|failed)$/.test(phase))).toEqual([]);
  expect(effects.filter((status) => status === 'applied')).toHaveLength(2);
}

function imageOf(
  { dir, operations }: Recorded,
  end: number,
  survival: Survival,
  seed = 1,
): Map<string, Buffer> {
  const all = imageAfterCut(new Map(), operations, { end, survival, random: createRandom(seed) });
  return new Map([...all].filter(([path]) => path.startsWith(`${dir}/`)));
}

function withImage<Result>(image: Files, read: (db: SQLite.Database) => Result): Result {
  const folder = mkdtempSync(join(tempFolder(), 'image-'));
  for (const [path, bytes] of image) {
    if (/holdfast\.db(?:-wal)?$/.test(path)) writeFileSync(join(folder, basename(path)), bytes);
  }
  const db = new SQLite(join(folder, 'holdfast.db'));
  try {
    return read(db);
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
}

/** The last version of the device `site` that a database has; of its own changes if `site` is null. */
function lastVersion(db: SQLite.Database, site: Buffer | null): number {
  const tables = db
    .prepare<[], string>(
      `SELECT name FROM sqlite_schema WHERE name LIKE '%\\_\\_crsql\\_clock' ESCAPE '\\'`,
    )
    .pluck()
    .all();
  const ordinal = site
    ? db
        .prepare<[Buffer], number>('SELECT ordinal FROM crsql_site_id WHERE site_id = ?')
        .pluck()
        .get(site)
    : 0;
  if (ordinal === undefined) return 0;
  const versions = tables.map(
    (table) =>
      db
        .prepare<[number], number | null>(
          `SELECT max(db_version) FROM "${table}" WHERE coalesce(site_id, 0) = ?`,
        )
        .pluck()
        .get(ordinal) ?? 0,
  );
  return Math.max(0, ...versions);
}

describe.skipIf(!canRecordDisk)(`a paired host that loses power${whyNoDisk}`, () => {
  it('[CM-6] [DT-1] [DT-5] has everything that its peer heard, and both converge on what happened', async () => {
    const outside = await startOutside();
    onTestFinished(() => outside.close());
    const root = tempFolder();
    const [a, b] = [join(root, 'a'), join(root, 'b')];
    const envOf = (name: string, port: number): NodeJS.ProcessEnv => ({
      ...LOOPBACK,
      HOLDFAST_LINK_PORT: String(port),
      ...recorderEnv({ folder: join(root, name), log: join(root, `${name}.log`) }),
    });
    for (const dir of [a, b]) mkdirSync(dir);
    const port = await freePort();
    const serve = (dir: string, env: NodeJS.ProcessEnv): Promise<ServedHost> =>
      serveHost(dir, [], onTestFinished, env);
    const [hostA, hostB] = [await serve(a, envOf('a', port)), await serve(b, envOf('b', 0))];
    await pair(a, b);
    const file = join(root, 'workflow.ts');
    writeFileSync(
      file,
      workflowSource('http.post+reconcile', {
        cellId: CELL,
        outsideUrl: outside.url,
        smtpPort: 0,
        folder: root,
        settleMs: 0,
      }),
    );
    await succeeds('add', file, '--data', a);
    await eventually(() => {
      expectDone(a);
      expectDone(b);
    });
    await Promise.all([kill(hostA), kill(hostB)]);
    const effects = await effectsOf(outside.url, CELL);
    expect(effects.map(({ n }) => n)).toEqual([1, 2]);

    const recorded = (dir: string): Recorded => {
      const kept = join(root, `${basename(dir)}.device.json`);
      linkSync(join(dir, 'device.json'), kept);
      return {
        dir,
        operations: readDiskLog(`${dir}.log`),
        kept: new Map([[join(dir, 'device.json'), kept]]),
      };
    };
    const [ours, theirs] = [recorded(a), recorded(b)];
    const endAt = ({ operations }: Recorded, time: bigint): number => {
      const end = operations.findIndex((one) => one.time > time);
      return end === -1 ? operations.length : end;
    };
    /** The peer goes on running, so it loses nothing. */
    const heardAt = (time: bigint): Files => imageOf(theirs, endAt(theirs, time), 'everything');
    const siteA = withImage(
      imageOf(ours, ours.operations.length, 'everything'),
      (db) =>
        db.prepare('SELECT site_id FROM crsql_site_id WHERE ordinal = 0').pluck().get() as Buffer,
    );
    const happenedAt = (time: bigint): typeof effects =>
      effects.filter(({ at }) => BigInt(at) < time);

    // The moments at which the peer has just written something, from before the first effect.
    const from = BigInt(effects[0]?.at ?? 0) - 200_000_000n;
    const written = theirs.operations.flatMap((one) =>
      one.kind === 'write' && one.time > from ? [one.time] : [],
    );
    const step = Math.ceil(written.length / AUDITED);
    const problems: string[] = [];
    const heardVersions = new Set<number>();
    for (let at = step - 1, n = 0; at < written.length; at += step, n += 1) {
      const time = written[at] ?? 0n;
      const survival = (n % 3 === 2 ? SURVIVALS[n % SURVIVALS.length] : undefined) ?? 'nothing';
      const heard = withImage(heardAt(time), (db) => lastVersion(db, siteA));
      heardVersions.add(heard);
      withImage(imageOf(ours, endAt(ours, time), survival, n), (db) => {
        const has = lastVersion(db, null);
        if (heard > has) problems.push(`${survival}: the peer heard ${heard}, we have ${has}`);
        problems.push(...auditAnytime(db), ...unrecordedEffects(db, happenedAt(time)));
      });
    }
    expect(problems).toEqual([]);
    expect(heardVersions.size).toBeGreaterThan(3);

    // Right after the second effect, and when the peer knows both outcomes.
    for (const time of [BigInt(effects[1]?.at ?? 0) + 1n, written.at(-1) ?? 0n]) {
      restoreFolder(a, imageOf(ours, endAt(ours, time), 'nothing'), ours.kept);
      restoreFolder(b, heardAt(time), theirs.kept);
      const happened = JSON.stringify(happenedAt(time));
      await fetch(`${outside.url}/restore/${CELL}`, { method: 'POST', body: happened });
      const again = [
        await serve(a, { ...LOOPBACK, HOLDFAST_LINK_PORT: String(port) }),
        await serve(b, { ...LOOPBACK, HOLDFAST_LINK_PORT: '0' }),
      ];
      await eventually(() => {
        expectDone(a);
        expect(readRows(b)).toEqual(readRows(a));
      });
      await Promise.all(again.map(kill));
      const times = (await effectsOf(outside.url, CELL)).map(({ n }) => n);
      expect(times.toSorted((one, other) => one - other)).toEqual([1, 2]);
    }
  }, 300_000);
});
