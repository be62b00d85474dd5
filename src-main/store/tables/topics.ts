// Topics of a workflow. The id is derived from workflow and name, so creating a topic twice, on one
// device or two, gives one row.
import type { TableCache } from '#main/store/sqlite/table-cache.ts';
import { Store, type StoreContext } from '#main/store/store-context.ts';
import { topicId } from '#shared/ids.ts';

export interface Topic {
  readonly id: string;
  readonly workflowId: string;
  readonly name: string;
  readonly createdAt: number;
}

const COLUMNS = 'id, workflow_id AS workflowId, name, created_at AS createdAt';

export class TopicStore extends Store {
  readonly #topics: TableCache<Topic | undefined>;

  constructor(context: StoreContext) {
    super(context);
    this.#topics = context.db.cache('topics');
  }

  ensure(workflowId: string, name: string): Topic {
    const { db, clock } = this.context;
    const id = topicId(workflowId, name);
    const known = this.get(id);
    if (known) return known;
    return db.write(() => {
      const facts = { workflow_id: workflowId, name, created_at: clock.now() };
      // A peer's raw SQL may have used another id, which the database then takes for this topic.
      db.run(
        'DELETE FROM topics WHERE workflow_id = ? AND name = ? AND id <> ?',
        workflowId,
        name,
        id,
      );
      const inserted = db.run(
        'INSERT INTO topics (id, facts) VALUES (?, ?) ON CONFLICT (id) DO NOTHING',
        id,
        JSON.stringify(facts),
      );
      if (inserted === 1) db.changes.record('topics', id);
      return this.get(id) as Topic;
    });
  }

  get(id: string): Topic | undefined {
    return this.#topics.get(id, () =>
      this.db.get(`SELECT ${COLUMNS} FROM topics WHERE id = ?`, id),
    );
  }

  list(workflowId: string): Topic[] {
    return this.db.all(
      `SELECT ${COLUMNS} FROM topics WHERE workflow_id = ? ORDER BY name`,
      workflowId,
    );
  }

  /** False if events are in it. A version that lists the topic creates it again. */
  remove(id: string): boolean {
    const { db } = this.context;
    return db.write(() => {
      const removed = db.run(
        `DELETE FROM topics WHERE id = ?
         AND NOT EXISTS (SELECT 1 FROM events WHERE topic_id = topics.id)`,
        id,
      );
      if (removed === 1) db.changes.record('topics', id);
      return removed === 1;
    });
  }
}
