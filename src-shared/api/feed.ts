// The change feed: which rows changed, coalesced. It says what to ask for again, never the rows
// themselves, so a late or lost message can only make a screen late, never wrong.
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
  /** The rows' ids (for `run_events`: the ids of their runs; for `runner_logs`, which are files, of
   * their jobs), or that there were too many. */
  ids: z.union([z.array(z.string()).max(FEED_MAX_IDS), z.literal('many')]),
});

export const feedMessageSchema = z.discriminatedUnion('type', [
  /** First message of a connection: whatever was shown before may be old. */
  z.strictObject({ type: z.literal('hello') }),
  z.strictObject({ type: z.literal('changes'), changes: z.array(changedRowsSchema) }),
  /** The client fell behind and changes were dropped. */
  z.strictObject({ type: z.literal('resync') }),
]);

export type ChangedRows = z.infer<typeof changedRowsSchema>;
export type FeedMessage = z.infer<typeof feedMessageSchema>;
