// Calls of the editor: reading and writing a workflow's file, and dry runs of unsaved text.
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
/** The name is typed by a person, so the error describes the pattern. */
const fileName = z
  .string()
  .max(MAX_NAME_LENGTH)
  .refine((name) => FILE_NAME.test(name), {
    error: 'must be letters, digits, ".", "_" and "-", and end in .ts or .js',
  });

export const workflowFileSchema = z.strictObject({
  /** Null if the file is on another device. */
  path: z.string().nullable(),
  fileName: z.string(),
  /** Null if the file is missing or unreadable; `problem` has the reason. */
  source: z.string().nullable(),
  /** The hash of the text on disk. A save must pass it, so that it replaces only the version shown. */
  sha: z.string().nullable(),
  problem: z.string().nullable(),
  /** Errors of the file when it was last read, as `file:line:column: problem`. */
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
  /** In start order; at most one page. */
  runs: z.array(handlerRunDetailSchema),
  /** Events that no consumer reserved. */
  pending: z.array(z.strictObject({ name: z.string(), pending: z.int() })),
  /** The dry run timed out; the result is partial. */
  isCut: z.boolean(),
});
export type DryRun = z.infer<typeof dryRunSchema>;

export const workflowFilesContract = {
  'workflows.file': {
    input: z.strictObject({ workflowId: id }),
    output: workflowFileSchema,
  },
  /**
   * Writes only if the file still has the hash `basedOn` (null: no file) and the source is a valid
   * workflow.
   */
  'workflows.saveFile': {
    input: z.strictObject({ workflowId: id, source, basedOn: z.string().max(64).nullable() }),
    output: savedSchema,
  },
  /** Creates the file in the data folder's workflows folder and adds it. Never replaces a file. */
  'workflows.newFile': {
    input: z.strictObject({ fileName, source }),
    output: savedSchema,
  },
  /** A dry run without effects, with these events or, if there are none, from its producers. */
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
