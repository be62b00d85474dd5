// Calls about this installation: grants, secrets, the API token, storage and versions.
import { z } from 'zod';
import { id, millis } from '#shared/api/fields.ts';
import { callerName } from '#shared/api/runner.ts';
import { FLAG_NAMES } from '#shared/flags.ts';
import { isReminderBeforeEnd, needsHumanSchema } from '#shared/inputs/needs-human.ts';
import { LOG_LEVELS } from '#shared/log-levels.ts';
import { MAX_ID_LENGTH } from '#shared/limits.ts';

const grantSchema = z.strictObject({
  tool: z.string(),
  scope: z.json(),
  /** Continues a sentence that starts with the workflow's name. */
  description: z.string(),
  grantedAt: millis,
  /** The workflow's file requests exactly this grant. */
  isAsked: z.boolean(),
});
export type GrantView = z.infer<typeof grantSchema>;

const askedSchema = z.strictObject({
  tool: z.string(),
  scope: z.json(),
  description: z.string(),
});
export type AskedGrant = z.infer<typeof askedSchema>;

const workflowGrantsSchema = z.strictObject({
  workflowId: id,
  name: z.string(),
  /** Grants apply on the device that runs the workflow. */
  isRunHere: z.boolean(),
  grants: z.array(grantSchema),
  /** Requested by its file but not granted on this device. */
  missing: z.array(askedSchema),
});
export type WorkflowGrants = z.infer<typeof workflowGrantsSchema>;

const toolSchema = z.strictObject({
  name: z.string(),
  /** An example grant. */
  example: z.json(),
});
export type GrantableTool = z.infer<typeof toolSchema>;

const flagSchema = z.strictObject({
  name: z.enum(FLAG_NAMES),
  meaning: z.string(),
  isOn: z.boolean(),
  isOnByDefault: z.boolean(),
});
export type FlagView = z.infer<typeof flagSchema>;
const flagsSchema = z.strictObject({ flags: z.array(flagSchema) });

const logSchema = z.strictObject({
  level: z.enum(LOG_LEVELS),
  /** HOLDFAST_LOG_LEVEL is set and counts more than the setting. */
  isFromEnvironment: z.boolean(),
  file: z.string(),
});

export const settingsContract = {
  'log.get': { input: z.strictObject({}), output: logSchema },
  /** Takes effect at once. */
  'log.choose': { input: logSchema.pick({ level: true }), output: logSchema },
  'flags.list': { input: z.strictObject({}), output: flagsSchema },
  /** For sessions that start later; a session keeps the flags it started with. */
  'flags.set': {
    input: z.strictObject({ name: z.enum(FLAG_NAMES), isOn: z.boolean() }),
    output: flagsSchema,
  },
  /** How long inputs wait for a person, unless their workflow says otherwise. */
  'needsHuman.get': { input: z.strictObject({}), output: needsHumanSchema },
  /** For waits that begin later, of workflows that this device runs. */
  'needsHuman.choose': {
    input: needsHumanSchema.refine((rule) => isReminderBeforeEnd(rule), {
      message: '"remind" must be shorter than "within"',
      path: ['remind'],
    }),
    output: needsHumanSchema,
  },
  'grants.list': {
    input: z.strictObject({}),
    output: z.strictObject({
      workflows: z.array(workflowGrantsSchema),
      tools: z.array(toolSchema),
    }),
  },
  'grants.revoke': {
    input: z.strictObject({ workflowId: id, tool: z.string().min(1).max(MAX_ID_LENGTH) }),
    output: z.strictObject({ wasGranted: z.boolean() }),
  },
  'secrets.remove': {
    input: z.strictObject({ name: z.string().min(1).max(MAX_ID_LENGTH) }),
    output: z.strictObject({ removed: z.boolean() }),
  },
  /** Replaces the token of the local API; all other clients need the new one. */
  'token.rotate': {
    input: z.strictObject({}),
    output: z.strictObject({ token: z.string() }),
  },
  /** Names of the tokens for the runner's REST API. */
  'tokens.names': {
    input: z.strictObject({}),
    output: z.strictObject({ names: z.array(z.string()) }),
  },
  /** The token is shown once; only its hash is stored. */
  'tokens.add': {
    input: z.strictObject({ name: callerName }),
    output: z.strictObject({ token: z.string() }),
  },
  'tokens.remove': {
    input: z.strictObject({ name: callerName }),
    output: z.strictObject({ removed: z.boolean() }),
  },
  'host.storage': {
    input: z.strictObject({}),
    output: z.strictObject({
      dataDir: z.string(),
      bytes: z.int(),
      parts: z.array(
        z.strictObject({
          name: z.enum(['database', 'backups', 'logs', 'jobs', 'window', 'rest']),
          bytes: z.int(),
        }),
      ),
    }),
  },
  'host.versions': {
    input: z.strictObject({}),
    output: z.strictObject({
      holdfast: z.string(),
      schema: z.int(),
      node: z.string(),
      sqlite: z.string(),
      crsqlite: z.string(),
      /** Null without a desktop window. */
      electron: z.string().nullable(),
      chromium: z.string().nullable(),
      platform: z.string(),
    }),
  },
} as const;
