// Format of an exported folder: readable files, and a manifest with their hashes. A row of a synced
// table includes the CRDT versions needed for merging.
import { z } from 'zod';
import { SYNC_MAX_CAUSAL_LENGTH, SYNC_MAX_COLUMN_VERSION } from '#shared/limits.ts';

export const EXPORT_FORMAT = 1;
export const MANIFEST = 'manifest.json';

export const manifestSchema = z.object({
  format: z.literal(EXPORT_FORMAT),
  holdfast: z.string(),
  schemaVersion: z.int().min(1),
  exportedAt: z.int().min(0),
  deviceId: z.string().min(1),
  files: z.record(
    z.string().regex(/^(workflows|history|local|archive|artifacts)\/[\w.-]+$/),
    z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), lines: z.int().min(0) }),
  ),
});
export type Manifest = z.infer<typeof manifestSchema>;

const hex = z.string().regex(/^([0-9a-f]{2})*$/);

export const rowSchema = z.strictObject({
  /** The primary key as cr-sqlite packs it. */
  pk: hex,
  /** Causal length: odd if the row exists, even if it was deleted. */
  cl: z.int().min(1).max(SYNC_MAX_CAUSAL_LENGTH),
  values: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
  /** Version of each column, and the site that last wrote it. */
  clock: z.record(
    z.string(),
    z.tuple([z.int().min(0).max(SYNC_MAX_COLUMN_VERSION), hex.length(32)]),
  ),
});
export type ExportedRow = z.infer<typeof rowSchema>;

/** Local tables with history or settings. Merged by key; existing rows win. */
export const LOCAL_TABLES = [
  'grants',
  'workflow_files',
  'runner_repos',
  'runner_jobs',
  'runner_job_events',
] as const;

/** Settings that a person chose. The others identify the device and are not exported. */
export const USER_SETTINGS = [
  'flags',
  'backups',
  'retention',
  'raw_payloads',
  'log_level',
] as const;
