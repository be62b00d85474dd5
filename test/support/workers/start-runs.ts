// argv: database, lane, prefix, count. Starts sessions, each with its own request id, and prints the
// result of each.
import { openWorkerStore } from '#test/support/workers/open-worker-store.ts';
import type { Lane } from '#shared/session-enums.ts';

const [path = '', lane = 'main', prefix = '', count = '0'] = process.argv.slice(2);
const { runContexts, db } = openWorkerStore(path);
for (let n = 0; n < Number(count); n += 1) {
  const result = await runContexts.createRunContext({
    workflowId: 'w',
    lane: lane as Lane,
    startRequestId: prefix === 'shared' ? `same:${n}` : `${prefix}:${n}`,
    trigger: 'manual',
  });
  const created = result.type === 'started' && result.created;
  process.stdout.write(`${created ? 'created' : result.type}\n`);
  // Ends the session to make room for the next one; ending it twice has no effect.
  if (result.type === 'started') {
    runContexts.finishRun({
      runId: result.run.id,
      status: 'completed',
      terminalEventId: `end-${result.run.id}`,
    });
  }
}
db.close();
