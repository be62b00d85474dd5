// One host process of the crash matrix: works until it is killed or everything is done.
import { openSync } from 'node:fs';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { createHost, type Host } from '#main/host/host.ts';
import { createLog } from '#main/host/log.ts';
import { startHookServer, type HookServer } from '#main/inputs/hook-route.ts';
import { INPUT_ANSWERED, ORDERS, type HostJob, type HostReport } from '#test/crash/matrix/cell.ts';
import { armDiskFault } from '#test/crash/power/disk-faults.ts';
import { markDiskLog } from '#test/crash/power/disk-log.ts';
import { createJumpingClock } from '#test/crash/matrix/jumping-clock.ts';
import { KillPoints } from '#test/crash/matrix/kill-points.ts';
import type { Armed, Fate } from '#test/crash/matrix/outside-ledger.ts';
import { answerInbox, call } from '#test/crash/matrix/answer-inbox.ts';

/** Work that is still open after this time counts as stuck. */
const TIMEOUT_MS = 60_000;
const POLL_MS = 5;
/** An effect in doubt wakes the host every second, and a check that can't be made takes a day. */
const JUMPS_IN_DOUBT = 200;

const job = JSON.parse(process.argv[2] ?? '') as HostJob;
// The shortest backoff: jitter is not tested here.
Math.random = () => 0;
const diskLog = job.diskLog === undefined ? null : openSync(job.diskLog, 'a');
const points = new KillPoints(job.kill, (point) => {
  if (diskLog !== null) markDiskLog(diskLog, point);
  const { diskFault } = job;
  if (diskFault && point === `${diskFault.point}#${diskFault.nth}`) {
    armDiskFault(diskFault.control, diskFault.kind);
  }
});
points.watchStore();
await points.watchFiles();
await arm();
const clock = createJumpingClock();
const host = createHost({
  dataDir: job.dataDir,
  createLog: (masker) => createLog(job.dataDir, masker),
  clock,
  probe: (point) => points.step(point),
});
if (job.hasCheckpoints) host.folder.db.pragma('wal_autocheckpoint = 1');
if (job.effect === 'mail.send') await call(host, 'secrets.set', { name: 'mail', value: 'sesame' });
await call(host, 'workflows.add', { path: job.workflowFile });
const hooks = job.effect.startsWith('webhook>') ? await sendWebhooks() : null;
const stuck = await finishWork();
await hooks?.close();
await host.close();
const { passed, commitsAt } = points;
const report: HostReport = { stuck, passed, commitsAt };
process.stdout.write(`${JSON.stringify(report)}\n`);

/** Sends each order in every process, as a sender repeats a webhook until it is answered. */
async function sendWebhooks(): Promise<HookServer> {
  const secret = 'a-secret-that-the-sender-knows';
  const [workflow] = host.folder.db.all<{ id: string }>('SELECT id FROM workflows');
  if (host.stores.hooks.list().length === 0) {
    await call(host, 'hooks.create', {
      requestId: 'cell',
      workflowId: workflow?.id,
      name: 'cell',
      topic: 'found',
      auth: { kind: 'bearer' },
      dedup: { by: 'path', path: 'n' },
      secret,
    });
  }
  const {
    inputs: { hookRoute: route },
    log,
  } = host;
  const server = await startHookServer({ route, host: '127.0.0.1', port: 0, log });
  const [hook] = host.stores.hooks.list();
  for (const n of ORDERS) {
    const answer = await fetch(`${server.url}/hooks/${hook?.id}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${secret}` },
      body: JSON.stringify({ n, title: `Order ${n}` }),
    });
    if (answer.status !== 202) throw new Error(`${answer.status}: ${await answer.text()}`);
    points.reach(INPUT_ANSWERED);
  }
  return server;
}

/** Gives the outside service the process to kill, and the moment. */
async function arm(): Promise<void> {
  const fates: { fate: Fate; nth: number }[] = [];
  const [place, moment] = job.kill?.point.split(':') ?? [];
  if (job.kill && place === 'outside') fates.push({ fate: moment as Fate, nth: job.kill.nth });
  if (job.fault) fates.push({ fate: job.fault.mode, nth: job.fault.nth });
  const armed: Armed = { pid: process.pid, isMute: job.isMute, fates };
  await fetch(`${job.outsideUrl}/arm/${job.cellId}`, {
    method: 'POST',
    body: JSON.stringify(armed),
  });
}

/** Skips idle time, up to this many wake-ups. */
async function skip(jumps: number): Promise<void> {
  for (let n = 0; n < jumps; n += 1) {
    clock.jump();
    // The timer of the wake-up takes a millisecond, too.
    await pause(1);
    await host.engine.idle();
  }
}

/** Null if everything is done, otherwise what is still open. */
async function finishWork(): Promise<string | null> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    await turn();
    await host.engine.idle();
    const open = openWork(host);
    if (open === null) return null;
    if (Date.now() > deadline) return open;
    points.reach('person:answers');
    if (await answerInbox(host, job).catch(whileDiskFails)) continue;
    if (job.mayJump) await skip(open.includes('needs_reconcile') ? JUMPS_IN_DOUBT : 1);
    await pause(POLL_MS);
  }
}

/** The person is told of the failure and tries again. */
function whileDiskFails(error: unknown): boolean {
  if (!job.diskFault) throw error;
  return true;
}

/** Null if every event is consumed or skipped, and every run, decision and input has ended. */
function openWork({ folder }: Host): string | null {
  const { db } = folder;
  const done = db.get<{ n: number }>(
    `SELECT count(*) AS n FROM events WHERE message_id LIKE 'd%' AND status IN ('consumed', 'skipped')`,
  );
  const runs = db.all<{ handler_name: string; phase: string; status: string | null }>(
    `SELECT r.handler_name, r.phase, m.status
     FROM handler_runs r LEFT JOIN mutations m ON m.handler_run_id = r.id
     WHERE r.phase NOT IN ('committed', 'failed')`,
  );
  const inputs = db.all(
    `SELECT r.kind, r.status, r.status_reason FROM automation_runs r
     WHERE r.status IN ('queued', 'enriching', 'ready', 'running', 'needs_human')
       OR EXISTS (SELECT 1 FROM outbox WHERE run_id = r.id AND status <> 'dispatched')`,
  );
  const decisions = db.all(`SELECT resolution FROM resolutions WHERE status = 'waiting'`);
  if (decisions.length > 0) return JSON.stringify({ decisions });
  if (done?.n === ORDERS.length && runs.length === 0 && inputs.length === 0) return null;
  const events = db.all('SELECT message_id, status, skip_reason FROM events');
  const workflows = db.all('SELECT status, status_reason FROM workflows');
  return JSON.stringify({ done: done?.n, runs, events, workflows, inputs });
}
