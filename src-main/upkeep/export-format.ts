// What an exported folder holds: plain files that a person can read, and a manifest that says what
// each must be. A row of a synced table comes with the counts of writes that its merging goes by.
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
    z.string().regex(/^(workflows|history|local|archive)\/[\w.-]+$/),
    z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), lines: z.int().min(0) }),
  ),
});
export type Manifest = z.infer<typeof manifestSchema>;

const hex = z.string().regex(/^([0-9a-f]{2})*$/);

export const rowSchema = z.strictObject({
  /** The primary key as cr-sqlite packs it. */
  pk: hex,
  /** Odd: it exists; even: it was deleted. */
  cl: z.int().min(1).max(SYNC_MAX_CAUSAL_LENGTH),
  values: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
  /** Of each column: how often it was written, and by which database last. */
  clock: z.record(
    z.string(),
    z.tuple([z.int().min(0).max(SYNC_MAX_COLUMN_VERSION), hex.length(32)]),
  ),
});
export type ExportedRow = z.infer<typeof rowSchema>;

/** Local tables that are history or choices; merged by their keys, what is there already stays. */
export const LOCAL_TABLES = [
  'grants',
  'workflow_files',
  'runner_repos',
  'runner_jobs',
  'runner_job_events',
] as const;

/** What a person chose. The other settings say who this device is. */
export const CHOICES = ['flags', 'backups', 'retention'] as const;
