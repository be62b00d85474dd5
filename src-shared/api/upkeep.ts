// Calls about backups, retention and restored databases.
import { z } from 'zod';
import { id, millis } from '#shared/api/fields.ts';
import { MAX_BACKUPS_KEPT, MAX_RETENTION_DAYS } from '#shared/limits.ts';

const MAX_PATH_LENGTH = 4096;

const backupSchema = z.strictObject({ file: z.string(), madeAt: millis, bytes: z.int() });
export type BackupView = z.infer<typeof backupSchema>;

const backupSettings = {
  /** Automatic, once a day. */
  isDaily: z.boolean(),
  /** How many backups stay in the data folder. */
  keep: z.int().min(1).max(MAX_BACKUPS_KEPT),
};
export type BackupSettings = {
  readonly [Key in keyof typeof backupSettings]: z.infer<(typeof backupSettings)[Key]>;
};

const retentionDays = z.int().min(1).max(MAX_RETENTION_DAYS);

const retentionSchema = z.strictObject({
  /** Null keeps the history without limit. */
  days: retentionDays.nullable(),
  /** History that ended before this time is deleted. */
  cutoff: z.int().nullable(),
  /** The device whose last sync is so old that history is retained for it. */
  waitsFor: z.string().nullable(),
});
export type RetentionView = z.infer<typeof retentionSchema>;

export const upkeepContract = {
  'retention.get': { input: z.strictObject({}), output: retentionSchema },
  'retention.choose': { input: retentionSchema.pick({ days: true }), output: retentionSchema },
  /** Counts what this choice would delete now. Changes nothing. */
  'retention.preview': {
    input: z.strictObject({ days: retentionDays }),
    output: retentionSchema.omit({ days: true }).extend({
      cutoff: z.int(),
      runs: z.int(),
      events: z.int(),
      /** The counts are lower bounds. */
      isMore: z.boolean(),
      /** Workflows that other devices run; those devices decide about their history. */
      elsewhere: z.int(),
    }),
  },
  /** Deletes old history now instead of at the next scheduled time. */
  'retention.pass': {
    input: z.strictObject({}),
    output: z.strictObject({ rows: z.int() }),
  },
  /** The backups in the data folder, newest first. */
  'backups.list': {
    input: z.strictObject({}),
    output: z.strictObject({
      ...backupSettings,
      folder: z.string(),
      backups: z.array(backupSchema),
    }),
  },
  'backups.make': {
    input: z.strictObject({ to: z.string().min(1).max(MAX_PATH_LENGTH).optional() }),
    output: backupSchema,
  },
  'backups.choose': {
    input: z.strictObject(backupSettings).partial(),
    output: z.strictObject(backupSettings),
  },
  /** Workflows that are paused because the database was restored; `madeAt` is null if it was not. */
  'restored.get': {
    input: z.strictObject({}),
    output: z.strictObject({
      madeAt: millis.nullable(),
      workflows: z.array(
        z.strictObject({
          id,
          name: z.string(),
          /** Events and runs that were open in the backup and may have ended since. */
          waiting: z.int(),
          unfinished: z.int(),
          /** Taken over by this device, and paused. */
          isOurs: z.boolean(),
        }),
      ),
    }),
  },
  /** Resumes a restored workflow: `skip` treats the waiting events as done, `do` runs them. */
  'restored.goOn': {
    input: z.strictObject({ workflowId: id, waiting: z.enum(['skip', 'do']) }),
    output: z.strictObject({ skipped: z.int(), openQuestions: z.int() }),
  },
} as const;

export type RetentionPreview = z.infer<(typeof upkeepContract)['retention.preview']['output']>;
