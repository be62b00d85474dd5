// A host with several workflows and much to do: works, tells each outcome it has written down, and
// ends when all is done, if it is let.
import { setTimeout as pause } from 'node:timers/promises';
import { createHost } from '#main/host/host.ts';
import { createLog } from '#main/host/log.ts';
import { call } from '#test/crash/matrix/person.ts';

export interface KillsJob {
  readonly dataDir: string;
  readonly workflowFiles: readonly string[];
  readonly runs: number;
}

const LOOK_EVERY_MS = 25;

const job = JSON.parse(process.argv[2] ?? '') as KillsJob;
const host = createHost({
  dataDir: job.dataDir,
  createLog: () => createLog(job.dataDir),
  probe: (point) => {
    if (point === 'outcome:after') process.stdout.write('.');
  },
});
for (const path of job.workflowFiles) await call(host, 'workflows.add', { path });
while (!isDone()) await pause(LOOK_EVERY_MS);
await host.close();

function isDone(): boolean {
  const { db } = host.folder;
  const open = db.get(`SELECT 1 FROM handler_runs WHERE phase NOT IN ('committed', 'failed')`);
  const consumed = db.get<{ n: number }>(
    `SELECT count(*) AS n FROM events WHERE status = 'consumed'`,
  );
  return open === undefined && consumed?.n === job.runs;
}
