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

/** Left out, each for its reason. */
export const LEFT_OUT: { readonly [table: string]: string } = {
  settings: 'who this device is; what the person chose is exported by name',
  run_contexts: 'what is running right now, on this device',
  lane_validation: 'follows from the scripts',
  run_snapshots: 'follows from the log',
  producer_schedules: 'when this device would be due; computed anew',
  consumer_wakes: 'when this device would be due; computed anew',
  peers: 'a pairing is between two keys, and keys are not exported',
  lineages: 'what the versions of this very database mean',
  peer_cursors: 'how far this very database has the changes of others',
  merged_versions: 'the same',
  staged_changes: 'the same',
  merged_rows: 'what this device has yet to look at',
  archiving: 'holds something only within one transaction',
  archived_rows: 'on its way into the archive, which is exported as it is',
  hooks: 'addresses of this very device, whose secrets are not exported; made anew',
  hook_proofs: 'what was sent to those addresses',
  automation_leases: 'who works on an input right now',
  outbox: 'what this device has yet to do for its inputs',
  idempotency_keys: 'answers that were given to programs on this device',
  runner_launcher: 'which process starts scripts right now',
};
