// A host with several busy workflows. Prints a dot for each recorded outcome, is killed at a random
// moment if the job says so, and otherwise exits when all work is done.
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createHost } from '#main/host/host.ts';
import { createLog } from '#main/host/log.ts';
import { call } from '#test/crash/matrix/answer-inbox.ts';

export interface KillsJob {
  readonly dataDir: string;
  readonly workflowFiles: readonly string[];
  readonly runs: number;
  /** Killed up to `withinMs` after this many outcomes; null: not killed. */
  readonly kill: { readonly afterOutcomes: number; readonly withinMs: number } | null;
}

const POLL_MS = 25;

const job = JSON.parse(process.argv[2] ?? '') as KillsJob;
const startKillTimer = prepareKill();
let outcomes = 0;
const host = createHost({
  dataDir: job.dataDir,
  createLog: (masker) => createLog(job.dataDir, masker),
  probe: (point) => {
    if (point !== 'outcome:after') return;
    outcomes += 1;
    process.stdout.write('.');
    if (outcomes === job.kill?.afterOutcomes) startKillTimer();
  },
});
for (const path of job.workflowFiles) await call(host, 'workflows.add', { path });
while (!isDone()) await pause(POLL_MS);
await host.close();
// The kill thread would keep the process alive.
process.exit(0);

/** A worker thread kills the process, so that it can happen anywhere, even during a write. */
function prepareKill(): () => void {
  if (!job.kill) return () => undefined;
  const signal = new Int32Array(new SharedArrayBuffer(8));
  const code = `
    const { signal, ms } = require('node:worker_threads').workerData;
    Atomics.wait(signal, 0, 0);
    Atomics.wait(signal, 1, 0, ms);
    process.kill(process.pid, 'SIGKILL');`;
  const ms = Math.random() * job.kill.withinMs;
  const thread = new Worker(code, { eval: true, workerData: { signal, ms } });
  thread.unref();
  return () => {
    Atomics.store(signal, 0, 1);
    Atomics.notify(signal, 0);
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
