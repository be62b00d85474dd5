// The contract between the host and its clients: one map of calls with zod schemas. Handlers, clients,
// the command line and the fuzzer derive their types from it.
import { z } from 'zod';
import { completesSchema } from '#shared/authoring/handler-config.ts';
import { needsHumanSchema } from '#shared/inputs/needs-human.ts';
import { cost, id, millis, name, next, page } from '#shared/api/fields.ts';
import { artifactContract } from '#shared/api/artifacts.ts';
import { desktopContract } from '#shared/api/desktop.ts';
import { deviceContract } from '#shared/api/devices.ts';
import { handlerRunContract } from '#shared/api/handler-runs.ts';
import { inputContract } from '#shared/api/inputs.ts';
import { inboxContract } from '#shared/api/inbox.ts';
import { metricsContract } from '#shared/api/metrics.ts';
import { syncContract } from '#shared/api/sync.ts';
import { ownershipContract, ownerViewSchema } from '#shared/api/ownership.ts';
import { runnerContract } from '#shared/api/runner.ts';
import { outsideHostsContract } from '#shared/api/outside-hosts.ts';
import { startCheckContract } from '#shared/api/start-check.ts';
import { settingsContract } from '#shared/api/settings.ts';
import { upkeepContract } from '#shared/api/upkeep.ts';
import { workflowActsContract } from '#shared/api/workflow-acts.ts';
import { workflowFilesContract } from '#shared/api/workflow-files.ts';
import { recentRunSchema, workflowPagesContract } from '#shared/api/workflow-pages.ts';
import { leftBehindSchema } from '#shared/left-behind.ts';
import { FLAG_NAMES } from '#shared/flags.ts';
import { MAX_EVENTS_PAGE, MAX_NAME_LENGTH, MAX_SCRIPT_BYTES, PAGE_SIZE } from '#shared/limits.ts';
import {
  LANES,
  SCRIPT_RUN_STATUSES,
  TERMINAL_SCRIPT_RUN_STATUSES,
  TRIGGERS,
} from '#shared/session-enums.ts';
import {
  runEventRecordSchema,
  runEventWriteSchema,
  SNAPSHOT_STATUSES,
  type RunSnapshot,
} from '#shared/run-log.ts';

const flags = z.strictObject(
  Object.fromEntries(FLAG_NAMES.map((flag) => [flag, z.boolean()])) as {
    [flag in (typeof FLAG_NAMES)[number]]: z.ZodBoolean;
  },
);

export const WORKFLOW_STATUSES = ['active', 'paused'] as const;

export const workflowSchema = z.strictObject({
  id,
  name: z.string(),
  status: z.enum(WORKFLOW_STATUSES),
  /** Why it is paused, if the engine paused it. */
  statusReason: z.string().nullable(),
  /** A run is in progress; together with `paused`, the workflow is still pausing. */
  isBusy: z.boolean(),
  /** The device that runs it. */
  owner: ownerViewSchema,
  /** Number of suspended runs, which block the workflow until a person resolves them. */
  openQuestions: z.int(),
  scriptId: id.nullable(),
  /** A changed version that has not been activated. */
  draftScriptId: id.nullable(),
  /** Its file on this device. */
  path: z.string().nullable(),
  producers: z.array(
    z.strictObject({ name: z.string(), schedule: z.json(), nextRunAt: millis.nullable() }),
  ),
  topics: z.array(z.strictObject({ name: z.string(), pending: z.int() })),
  /** The condition on which its inputs succeed. */
  completes: completesSchema,
  /** How long its inputs wait for a person: its own rule, completed by the settings of this device. */
  needsHuman: needsHumanSchema,
  /** Events and runs of earlier versions that the active version can't take up. */
  leftBehind: z.array(leftBehindSchema),
  /** Its latest runs, newest first. */
  recent: z.array(recentRunSchema),
  /** Handlers whose last run failed: waiting for a retry, or the reason why the workflow paused. */
  failing: z.array(z.string()),
  /** The cost of the runs that started today in the host's time zone, and of all runs in the history. */
  cost: z.strictObject({ today: cost, total: cost }),
  /** Why it can't run on this device: a row of it can't be read, or its work failed. */
  heldBecause: z.string().nullable(),
  /** Handlers, and checks of their effects, that wait for an outside host. */
  waitsFor: z.array(
    z.strictObject({
      handler: z.string(),
      host: z.string(),
      /** The host asked to wait, or its limit is used up. Null: until it can be reached. */
      until: millis.nullable(),
      since: millis,
      /** This machine has no network. */
      isNetwork: z.boolean(),
    }),
  ),
  createdAt: millis,
  updatedAt: millis,
  activeRunId: id.nullable(),
});
export type WorkflowView = z.infer<typeof workflowSchema>;

export const runSchema = z.strictObject({
  id,
  workflowId: id,
  workflowName: z.string(),
  lane: z.enum(LANES),
  status: z.enum(SCRIPT_RUN_STATUSES),
  trigger: z.enum(TRIGGERS),
  startRequestId: z.string(),
  scriptId: id.nullable(),
  runStartSha: z.string(),
  runEndSha: z.string().nullable(),
  flags,
  sandboxId: z.string().nullable(),
  terminalEventId: z.string().nullable(),
  error: z.string().nullable(),
  deviceId: id,
  createdAt: millis,
  endedAt: millis.nullable(),
  handlerRunCount: z.int().nonnegative(),
});
export type RunView = z.infer<typeof runSchema>;

const snapshotSchema: z.ZodType<RunSnapshot> = z.strictObject({
  runId: id,
  status: z.enum(SNAPSHOT_STATUSES),
  lastRunSeq: z.int(),
  startedAt: z.string().nullable(),
  updatedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  logicalAttemptId: z.int(),
  eventCounts: z.record(z.string(), z.int()),
  steps: z.record(
    z.string(),
    z.strictObject({
      eventType: z.string(),
      runSeq: z.int(),
      logicalAttemptId: z.int(),
      payload: z.record(z.string(), z.json()).nullable(),
    }),
  ),
});

export const contract = {
  'host.info': {
    input: z.strictObject({}),
    output: z.strictObject({
      version: z.string(),
      schemaVersion: z.int(),
      deviceId: id,
      spaceId: id,
      dataDir: z.string(),
      startedAt: millis,
      pid: z.int(),
    }),
  },
  'workflows.list': {
    input: z.strictObject(page),
    output: z.strictObject({ workflows: z.array(workflowSchema), next }),
  },
  'workflows.get': {
    input: z.strictObject({ workflowId: id }),
    output: workflowSchema,
  },
  /** Idempotent: the same `requestId` returns the same workflow. */
  'workflows.create': {
    input: z.strictObject({
      requestId: id,
      name,
      code: z.string().max(MAX_SCRIPT_BYTES).optional(),
    }),
    output: workflowSchema,
  },
  'runs.list': {
    input: z.strictObject({
      ...page,
      workflowId: id.optional(),
      status: z.enum(SCRIPT_RUN_STATUSES).optional(),
    }),
    output: z.strictObject({ runs: z.array(runSchema), next }),
  },
  'runs.get': {
    input: z.strictObject({ runId: id }),
    output: runSchema,
  },
  /** Starts a session of spec 000. Refused for `main`, where only the engine starts sessions. */
  'runs.start': {
    input: z.strictObject({
      workflowId: id,
      lane: z.enum(LANES).default('draft'),
      /** Derived from the cause by `startRequest`; the same id returns the same session. */
      startRequestId: id,
      trigger: z.enum(TRIGGERS).default('manual'),
    }),
    output: z.strictObject({ run: runSchema, created: z.boolean() }),
  },
  'runs.finish': {
    input: z.strictObject({
      runId: id,
      status: z.enum(TERMINAL_SCRIPT_RUN_STATUSES),
      terminalEventId: id,
      error: z
        .string()
        .max(MAX_NAME_LENGTH * 10)
        .optional(),
    }),
    output: z.strictObject({ run: runSchema, duplicate: z.boolean() }),
  },
  'runs.appendEvent': {
    input: runEventWriteSchema,
    output: z.strictObject({
      eventId: z.string(),
      runSeq: z.int(),
      persistedAt: z.string(),
      idempotent: z.boolean(),
      persisted: z.boolean(),
    }),
  },
  'runs.fetchEvents': {
    input: z.strictObject({
      runId: id,
      afterSeq: z.int().min(0).default(0),
      limit: z.int().min(1).max(MAX_EVENTS_PAGE).default(PAGE_SIZE),
    }),
    output: z.strictObject({ events: z.array(runEventRecordSchema) }),
  },
  'runs.snapshot': {
    input: z.strictObject({ runId: id }),
    output: snapshotSchema,
  },
  ...handlerRunContract,
  ...inboxContract,
  ...workflowActsContract,
  ...workflowPagesContract,
  ...workflowFilesContract,
  ...deviceContract,
  ...syncContract,
  ...ownershipContract,
  ...runnerContract,
  ...inputContract,
  ...artifactContract,
  ...metricsContract,
  ...settingsContract,
  ...outsideHostsContract,
  ...desktopContract,
  ...upkeepContract,
  ...startCheckContract,
} as const;

export type Contract = typeof contract;
export type CallName = keyof Contract;
/** The caller's input, without required defaults. */
export type CallInput<Name extends CallName> = z.input<Contract[Name]['input']>;
/** The handler's input, with defaults filled in. */
export type CallArguments<Name extends CallName> = z.output<Contract[Name]['input']>;
export type CallOutput<Name extends CallName> = z.output<Contract[Name]['output']>;

export const CALL_NAMES = Object.keys(contract) as CallName[];

export function isCallName(text: string): text is CallName {
  return Object.hasOwn(contract, text);
}
