// argv: database, owner, then ids of automation runs. Claims a lease of each, and prints those it got
// with their versions.
import { openWorkerStore } from '#test/support/workers/open-worker-store.ts';

const [path = '', owner = '', ...runIds] = process.argv.slice(2);
const { automationLeases, db } = openWorkerStore(path);
for (const runId of runIds) {
  const lease = automationLeases.claim(runId, owner, ['queued']);
  if (lease) process.stdout.write(`${runId} ${lease.version}\n`);
}
db.close();
