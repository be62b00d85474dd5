// The change feed: which rows changed, coalesced. It carries ids, never the rows, so a late or lost
// message can only delay a screen, never make it wrong.
import { z } from 'zod';
import { FEED_MAX_IDS } from '#shared/limits.ts';

export const FEED_TABLES = [
  'workflows',
  'scripts',
  'script_runs',
  'run_events',
  'topics',
  'events',
  'handler_runs',
  'mutations',
  'handler_state',
  'resolutions',
  'devices',
  'intents',
  'incidents',
  'refused_rows',
  'runner_jobs',
  'runner_logs',
  'trigger_events',
  'automation_runs',
  'automation_side_effects',
  'outbox',
  'hooks',
] as const;
export type FeedTable = (typeof FEED_TABLES)[number];

const changedRowsSchema = z.strictObject({
  table: z.enum(FEED_TABLES),
  /** The ids of the rows, or 'many'. `run_events` uses the ids of the runs, and `runner_logs`, which are
   * files, the ids of the jobs. */
  ids: z.union([z.array(z.string()).max(FEED_MAX_IDS), z.literal('many')]),
});

export const feedMessageSchema = z.discriminatedUnion('type', [
  /** The first message of a connection: data that was loaded before may be stale. */
  z.strictObject({ type: z.literal('hello') }),
  z.strictObject({ type: z.literal('changes'), changes: z.array(changedRowsSchema) }),
  /** The client fell behind, and changes were dropped. */
  z.strictObject({ type: z.literal('resync') }),
]);

export type ChangedRows = z.infer<typeof changedRowsSchema>;
export type FeedMessage = z.infer<typeof feedMessageSchema>;
