// Calls that keep a data folder well.
import { z } from 'zod';
import { id, millis } from '#shared/api/fields.ts';
import { MAX_BACKUPS_KEPT, MAX_RETENTION_DAYS } from '#shared/limits.ts';

const MAX_PATH_LENGTH = 4096;

const backupSchema = z.strictObject({ file: z.string(), madeAt: millis, bytes: z.int() });
export type BackupView = z.infer<typeof backupSchema>;

const backupSettings = {
  /** By itself, once a day. */
  isDaily: z.boolean(),
  /** So many of the newest stay in the data folder. */
  keep: z.int().min(1).max(MAX_BACKUPS_KEPT),
};
export type BackupSettings = {
  readonly [Key in keyof typeof backupSettings]: z.infer<(typeof backupSettings)[Key]>;
};

const retentionDays = z.int().min(1).max(MAX_RETENTION_DAYS);

const retentionSchema = z.strictObject({
  /** Null: for ever. */
  days: retentionDays.nullable(),
  /** What came to its end before this leaves the database. */
  cutoff: z.int().nullable(),
  /** The device that has not been here for so long that more is kept for it. */
  waitsFor: z.string().nullable(),
});
export type RetentionView = z.infer<typeof retentionSchema>;

export const upkeepContract = {
  'retention.get': { input: z.strictObject({}), output: retentionSchema },
  'retention.choose': { input: retentionSchema.pick({ days: true }), output: retentionSchema },
  /** What would leave now, were this the choice. Nothing is changed. */
  'retention.preview': {
    input: z.strictObject({ days: retentionDays }),
    output: retentionSchema.omit({ days: true }).extend({
      cutoff: z.int(),
      runs: z.int(),
      events: z.int(),
      /** It was not counted any further. */
      isMore: z.boolean(),
      /** Workflows that other devices run: their history leaves by their choice. */
      elsewhere: z.int(),
    }),
  },
  /** Now, instead of in some hours. */
  'retention.pass': {
    input: z.strictObject({}),
    output: z.strictObject({ rows: z.int() }),
  },
  /** In the data folder, the newest first. */
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
  /** What stands still because this database was a backup; `madeAt` null: it never was one. */
  'restored.get': {
    input: z.strictObject({}),
    output: z.strictObject({
      madeAt: millis.nullable(),
      workflows: z.array(
        z.strictObject({
          id,
          name: z.string(),
          /** Events and runs that were open in the backup, and may have come to an end since. */
          waiting: z.int(),
          unfinished: z.int(),
          /** Taken over, and paused. */
          isOurs: z.boolean(),
        }),
      ),
    }),
  },
  /** The person has looked. `skip`: what waited was done; `do`: it is still to be done. */
  'restored.goOn': {
    input: z.strictObject({ workflowId: id, waiting: z.enum(['skip', 'do']) }),
    output: z.strictObject({ skipped: z.int(), openQuestions: z.int() }),
  },
} as const;

export type RetentionPreview = z.infer<(typeof upkeepContract)['retention.preview']['output']>;
