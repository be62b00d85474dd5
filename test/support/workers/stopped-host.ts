// A host that stops itself (SIGSTOP) when it first reaches a probe point, as if the computer went to
// sleep there. It prints `stopped` before, and then a line for each new state of its runs.
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createHost } from '#main/host/host.ts';
import { createLog } from '#main/host/log.ts';
import { succeed } from '#test/support/api-calls.ts';

const [dataDir = '', workflow = '', point = '', link = ''] = process.argv.slice(2);
let hasStopped = false;
const host = createHost({
  dataDir,
  createLog: (masker) => createLog(dataDir, masker),
  links: { host: '127.0.0.1', port: 0 },
  probe: (reached) => {
    if (hasStopped || reached !== point) return;
    hasStopped = true;
    writeSync(1, 'stopped\n');
    process.kill(process.pid, 'SIGSTOP');
  },
});
if (link !== '') await succeed(host.dispatch, 'devices.join', { link });
await succeed(host.dispatch, 'workflows.add', { path: workflow });
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
