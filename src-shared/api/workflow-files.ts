// Calls of the editor: the file of a workflow, writing it, and a dry run of what is not even saved.
import { z } from 'zod';
import { id } from '#shared/api/fields.ts';
import { handlerRunDetailSchema } from '#shared/api/handler-runs.ts';
import {
  MAX_ID_LENGTH,
  MAX_NAME_LENGTH,
  MAX_SCRIPT_BYTES,
  MAX_TRIED_EVENTS,
} from '#shared/limits.ts';

const source = z.string().max(MAX_SCRIPT_BYTES);
const FILE_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}._-]*\.[jt]s$/u;
/** Said as a sentence rather than as a pattern: it is typed by hand. */
const fileName = z
  .string()
  .max(MAX_NAME_LENGTH)
  .refine((name) => FILE_NAME.test(name), {
    error: 'must be letters, digits, ".", "_" and "-", and end in .ts or .js',
  });

export const workflowFileSchema = z.strictObject({
  /** Null: it was read on another device, and its file is there. */
  path: z.string().nullable(),
  fileName: z.string(),
  /** Null: there is no such file any more, or it cannot be read; `problem` says which. */
  source: z.string().nullable(),
  /** Of the text as it is on disk: what a save must name, so that it replaces what was seen. */
  sha: z.string().nullable(),
  problem: z.string().nullable(),
  /** What is wrong with the file as it was last read, as `file:line:column: what`. */
  draftProblems: z.array(z.string()),
});
export type WorkflowFileView = z.infer<typeof workflowFileSchema>;

const savedSchema = z.strictObject({
  workflowId: id,
  path: z.string(),
  sha: z.string(),
  version: z.string(),
  warnings: z.array(z.string()),
});

export const dryRunSchema = z.strictObject({
  name: z.string(),
  warnings: z.array(z.string()),
  /** In the order in which they began; at most a page of them. */
  runs: z.array(handlerRunDetailSchema),
  /** Events that nothing took. */
  pending: z.array(z.strictObject({ name: z.string(), pending: z.int() })),
  /** It took too long and was ended: this is what it had done so far. */
  isCut: z.boolean(),
});
export type DryRun = z.infer<typeof dryRunSchema>;

export const workflowFilesContract = {
  'workflows.file': {
    input: z.strictObject({ workflowId: id }),
    output: workflowFileSchema,
  },
  /**
   * Only where the file still is as it was seen (`basedOn`; null: there was none). What is not a
   * workflow that can run is not written.
   */
  'workflows.saveFile': {
    input: z.strictObject({ workflowId: id, source, basedOn: z.string().max(64).nullable() }),
    output: savedSchema,
  },
  /** In the workflows folder of the data folder. It never replaces a file; it is added at once. */
  'workflows.newFile': {
    input: z.strictObject({ fileName, source }),
    output: savedSchema,
  },
  /** Runs it once without sending anything: with these events, or else its producers. */
  'workflows.try': {
    input: z.strictObject({
      source,
      fileName,
      events: z
        .array(z.strictObject({ topic: z.string().min(1).max(MAX_ID_LENGTH), payload: z.json() }))
        .max(MAX_TRIED_EVENTS)
        .default([]),
    }),
    output: dryRunSchema,
  },
} as const;
