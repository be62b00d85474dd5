// argv: database, run id, prefix, count. Appends one event per transaction, a line for each.
import { runEvent } from '#test/support/run-event.ts';
import { openWorkerStore } from '#test/support/workers/open-worker-store.ts';

const [path = '', runId = '', prefix = '', count = '0'] = process.argv.slice(2);
const { runState, db } = openWorkerStore(path);
for (let n = 0; n < Number(count); n += 1) {
  const { runSeq } = runState.append(runEvent({ runId, stepId: `${prefix}-${n}` }));
  // Written only after the commit returned: what was told must be there afterwards.
  process.stdout.write(`${n} ${runSeq}\n`);
}
db.close();
