// A host with several workflows and much to do: works, tells each outcome it has written down, and
// ends when all is done, if it is let.
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createHost } from '#main/host/host.ts';
import { createLog } from '#main/host/log.ts';
import { call } from '#test/crash/matrix/answer-inbox.ts';

export interface KillsJob {
  readonly dataDir: string;
  readonly workflowFiles: readonly string[];
  readonly runs: number;
  /** It dies up to `withinMs` after so many outcomes. Null: it lives. */
  readonly kill: { readonly afterOutcomes: number; readonly withinMs: number } | null;
}

const LOOK_EVERY_MS = 25;

const job = JSON.parse(process.argv[2] ?? '') as KillsJob;
const pullPlug = layFuse();
let outcomes = 0;
const host = createHost({
  dataDir: job.dataDir,
  createLog: () => createLog(job.dataDir),
  probe: (point) => {
    if (point !== 'outcome:after') return;
    outcomes += 1;
    process.stdout.write('.');
    if (outcomes === job.kill?.afterOutcomes) pullPlug();
  },
});
for (const path of job.workflowFiles) await call(host, 'workflows.add', { path });
while (!isDone()) await pause(LOOK_EVERY_MS);
await host.close();
// The fuse would hold the process.
process.exit(0);

/** A thread that kills the process: it strikes anywhere, also in the middle of a write. */
function layFuse(): () => void {
  if (!job.kill) return () => undefined;
  const lit = new Int32Array(new SharedArrayBuffer(8));
  const fuse = `
    const { lit, ms } = require('node:worker_threads').workerData;
    Atomics.wait(lit, 0, 0);
    Atomics.wait(lit, 1, 0, ms);
    process.kill(process.pid, 'SIGKILL');`;
  const ms = Math.random() * job.kill.withinMs;
  const thread = new Worker(fuse, { eval: true, workerData: { lit, ms } });
  thread.unref();
  return () => {
    Atomics.store(lit, 0, 1);
    Atomics.notify(lit, 0);
  };
}

function isDone(): boolean {
  const { db } = host.folder;
  const open = db.get(`SELECT 1 FROM handler_runs WHERE phase NOT IN ('committed', 'failed')`);
  const consumed = db.get<{ n: number }>(
    `SELECT count(*) AS n FROM events WHERE status = 'consumed'`,
  );
  return open === undefined && consumed?.n === job.runs;
}
