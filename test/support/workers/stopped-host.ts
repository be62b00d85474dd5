// A host that stops itself (SIGSTOP) when it first reaches a probe point, as if the computer went to
// sleep there. It prints `stopped` before, and then a line for each new state of its runs.
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createHost } from '#main/host/host.ts';
import { createLog } from '#main/host/log.ts';

const [dataDir = '', workflow = '', point = ''] = process.argv.slice(2);
let hasStopped = false;
const host = createHost({
  dataDir,
  createLog: (masker) => createLog(dataDir, masker),
  probe: (reached) => {
    if (hasStopped || reached !== point) return;
    hasStopped = true;
    writeSync(1, 'stopped\n');
    process.kill(process.pid, 'SIGSTOP');
  },
});
await host.dispatch('workflows.add', { path: workflow });
for (let last = ''; ; await pause(10)) {
  const runs = host.folder.db.all(
    `SELECT r.phase, m.status, m.error, coalesce(m.reconcile_attempts, 0) AS checks
     FROM handler_runs r LEFT JOIN mutations m ON m.handler_run_id = r.id
     WHERE r.handler_type = 'consumer' ORDER BY r.id`,
  );
  const state = JSON.stringify(runs);
  if (state !== last) writeSync(1, `${state}\n`);
  last = state;
}
