// A database whose events are mostly consumed. Rows are inserted before crsql_as_crr converts the
// table: one minute for a million rows instead of three. The resulting schema is compared with a
// migrated one. The file is cached for the next run.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withTempFolder } from './both-sides.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { loadMigrations, migrateFile, type Migration } from '#main/store/sqlite/migrate.ts';
import type { Topic } from '#main/store/tables/topics.ts';
import { cacheFolder } from '#scripts/lib/paths.mjs';
import { sayOnStderr } from '#scripts/lib/processes.mjs';
import { eventId, topicId } from '#shared/ids.ts';

const STARTED_AT = Date.UTC(2026, 0, 1);
const WORKFLOW = 'workflow-1';

export const PENDING = 1000;

export const TOPICS: readonly Topic[] = Array.from({ length: 10 }, (_, index) => {
  const name = `topic-${index}`;
  return { id: topicId(WORKFLOW, name), workflowId: WORKFLOW, name, createdAt: STARTED_AT };
});

/** `count` events, 1,000 of them pending and spread over all ages and topics. */
export function eventsDatabase(count: number): string {
  const migrations = loadMigrations();
  const folder = cacheFolder('bench');
  const key = keyOf(migrations);
  const path = join(folder, `events-${count}-${key}.db`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  removeOutdated(folder, key);
  sayOnStderr(`making ${count.toLocaleString('en')} events (cached for the next run)`);
  const unfinished = `${path}.${process.pid}`;
  try {
    make(unfinished, migrations, count);
    expectMigratedSchema(unfinished);
    renameSync(unfinished, path);
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(unfinished + suffix, { force: true });
  }
  return path;
}

/** The key changes with the schema and with this file. */
function keyOf(migrations: readonly Migration[]): string {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  for (const { sql } of migrations) hash.update(sql);
  return hash.digest('hex').slice(0, 16);
}

function removeOutdated(folder: string, key: string): void {
  const outdated = readdirSync(folder).filter(
    (file) => file.startsWith('events-') && !file.includes(key),
  );
  for (const file of outdated) rmSync(join(folder, file), { force: true });
}

const AS_CRR = "SELECT crsql_as_crr('events');";

function make(path: string, migrations: readonly Migration[], count: number): void {
  const db = new Database(path);
  try {
    // A file that fails half-way is deleted, so no commit needs an fsync.
    db.pragma('synchronous = OFF');
    db.pragma('cache_size = -1000000');
    for (const { sql, version } of migrations) {
      const [before = '', after] = sql.split(AS_CRR);
      db.write(() => {
        db.exec(before);
        if (after !== undefined) {
          fill(db, count);
          db.exec(AS_CRR + after);
        }
        db.exec(`PRAGMA user_version = ${version}`);
      });
    }
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}

/** Each pending event is followed by its share of consumed ones. */
function fill(db: Database, count: number): void {
  const insert = db.prepare(
    'INSERT INTO events (id, facts, content, progress) VALUES (?, ?, ?, ?)',
  );
  const share = count / PENDING;
  for (let index = 0; index < count; index += 1) {
    const isPending = index % share === 0;
    const topic = isPending ? topicAt(index / share) : topicOfConsumed(index);
    insert.run(...eventRow(topic, index, isPending));
  }
}

/** Half of the history in one topic, the rest spread over all. */
function topicOfConsumed(index: number): Topic {
  return topicAt(index % 2 === 0 ? 0 : (index - 1) / 2);
}

function topicAt(turn: number): Topic {
  const topic = TOPICS[turn % TOPICS.length];
  if (topic === undefined) throw new Error(`There is no topic for turn ${turn}.`);
  return topic;
}

function eventRow(topic: Topic, index: number, isPending: boolean): string[] {
  const messageId = `message-${index}`;
  const at = STARTED_AT + index;
  const facts = {
    topic_id: topic.id,
    workflow_id: topic.workflowId,
    message_id: messageId,
    created_at: at,
  };
  const content = { title: `Message ${index}`, payload: { number: index, kind: 'invoice' } };
  const progress = isPending
    ? { status: 'pending', attempt_number: 1, updated_at: at }
    : {
        status: 'consumed',
        attempt_number: 1,
        reserved_by_run_id: `run-${index}`,
        updated_at: at + 1,
      };
  const columns = [facts, content, progress].map((column) => JSON.stringify(column));
  return [eventId(topic.id, messageId), ...columns];
}

function expectMigratedSchema(path: string): void {
  const made = schemaOf(path);
  const migrated = withTempFolder((folder) => {
    const fresh = join(folder, 'fresh.db');
    migrateFile(fresh);
    return schemaOf(fresh);
  });
  if (made === migrated) return;
  throw new Error(
    `${basename(path)} differs from a migrated database. Update the way bench/store/events-database.ts builds it.`,
  );
}

function schemaOf(path: string): string {
  const db = new Database(path);
  try {
    const objects = db.all(
      'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name',
    );
    return JSON.stringify([db.pragma('user_version'), objects]);
  } finally {
    db.close();
  }
}
