// argv: database, run id, prefix, count. Appends one event per transaction and prints a line for each.
import { runEvent } from '#test/support/run-event.ts';
import { openWorkerStore } from '#test/support/workers/open-worker-store.ts';

const [path = '', runId = '', prefix = '', count = '0'] = process.argv.slice(2);
const { runState, db } = openWorkerStore(path);
for (let n = 0; n < Number(count); n += 1) {
  const { runSeq } = runState.append(runEvent({ runId, stepId: `${prefix}-${n}` }));
  // After the commit: a printed event must survive a kill.
  process.stdout.write(`${n} ${runSeq}\n`);
}
db.close();
