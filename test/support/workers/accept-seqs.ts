// argv: database, run id, from, to. Offers sequence numbers and prints those that were accepted.
import { openWorkerStore } from '#test/support/workers/open-worker-store.ts';

const [path = '', runId = '', from = '0', to = '0'] = process.argv.slice(2);
const { runContexts, db } = openWorkerStore(path);
const claim = { workflowId: 'w', lane: 'main', runId, sandboxId: 'box-1' } as const;
for (let seq = Number(from); seq <= Number(to); seq += 1) {
  if (runContexts.acceptSeq(claim, seq)) process.stdout.write(`${seq}\n`);
}
db.close();
