// Makes a database with a history of events to sync.
import { migrateFile } from '#main/store/sqlite/migrate.ts';
import { openStores } from '../store/both-sides.ts';

/** About as many as one run publishes in one commit. */
const EVENTS_PER_TRANSACTION = 10;

/** Returns the number of changes. */
export function makeHistory(path: string, events: number): number {
  migrateFile(path);
  const stores = openStores(path);
  try {
    stores.lineages.open();
    const topic = stores.topics.ensure('workflow-1', 'mail');
    for (let made = 0; made < events; made += EVENTS_PER_TRANSACTION) {
      stores.db.write(() => {
        for (let n = made; n < Math.min(made + EVENTS_PER_TRANSACTION, events); n += 1) {
          stores.events.publish({
            topic,
            messageId: `message-${n}`,
            title: `Invoice 2026-${n} of Example & Sons`,
            payload: { from: `sender-${n % 97}@example.org`, amount: n * 17, tags: ['invoice'] },
          });
        }
      });
    }
    return stores.db.value<number>('SELECT count(*) FROM crsql_changes') ?? 0;
  } finally {
    stores.db.close();
  }
}
