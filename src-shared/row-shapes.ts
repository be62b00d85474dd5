// The JSON that each column of a synced table holds. A peer may send any JSON: a row that doesn't fit is
// merged all the same, because devices must converge, but this device doesn't act on it (IS in SPEC.md).
// A new value of an enum needs a new PROTOCOL_VERSION: a device without it would hold the workflow.
import { z } from 'zod';
import { DECISION_STATUSES } from '#shared/decision.ts';
import { INCIDENT_KINDS } from '#shared/incidents.ts';
import { artifactFactsSchema } from '#shared/inputs/artifacts.ts';
import { INPUT_KINDS, STOPPING_AS } from '#shared/inputs/kinds.ts';
import { needsHumanSchema } from '#shared/inputs/needs-human.ts';
import { AUTOMATION_RUN_STATUSES, STAGES } from '#shared/machines/automation-run.ts';
import { EVENT_STATUSES } from '#shared/machines/event.ts';
import {
  ERROR_TYPES,
  HANDLER_TYPES,
  PHASES,
  SUSPEND_REASONS,
} from '#shared/machines/handler-run.ts';
import { isJsonObject } from '#shared/json.ts';
import { MAX_ID_LENGTH } from '#shared/limits.ts';
import { MUTATION_STATUSES, RESOLUTIONS } from '#shared/machines/mutation.ts';
import { CLAIM_WAYS } from '#shared/ownership.ts';
import { LANES, SCRIPT_RUN_STATUSES, TRIGGERS } from '#shared/session-enums.ts';

type Shapes = { readonly [column: string]: z.ZodType };

const text = z.string();
const id = text.min(1).max(MAX_ID_LENGTH);
const maybeId = id.nullish();
const maybeText = text.nullish();
/** Milliseconds that fit a list cursor and a Date. */
const time = z.int().min(0).max(999_999_999_999_999);
const maybeTime = time.nullish();
const count = z.int().min(0);
const date = text.refine((value) => !Number.isNaN(Date.parse(value)), 'is not a time');
const anyObject = z.looseObject({});

const runProgress = z
  .looseObject({
    phase: z.enum(PHASES),
    over: z.enum(PHASES).optional(),
    resume_phase: z.enum(PHASES).nullish(),
    reason: z.enum(SUSPEND_REASONS).nullish(),
    error: maybeText,
    error_type: z.enum(ERROR_TYPES).nullish(),
    end_timestamp: date.nullish(),
    timeline: z.record(text, time).nullish(),
  })
  .refine(({ phase, resume_phase: next }) => phase !== 'suspended' || next != null, {
    path: ['resume_phase'],
    message: 'is missing',
  });

const effectOutcome = z.looseObject({
  status: z.enum(MUTATION_STATUSES),
  error: maybeText,
  reconcile_attempts: count.nullish(),
  last_reconcile_at: maybeTime,
  next_reconcile_at: maybeTime,
  reconcile_waits_for: maybeText,
  doubt: z
    .looseObject({ span: text, since: z.number(), negative_at: z.number().optional() })
    .nullish(),
  resolved_by: z.enum(RESOLUTIONS).nullish(),
  resolved_at: maybeTime,
  updated_at: maybeTime,
});

const decision = z.looseObject({
  status: z.enum(DECISION_STATUSES),
  message: maybeText,
  at: maybeTime,
});

/** By table and column. Columns that may hold any value are not listed. */
export const ROW_SHAPES: { readonly [table: string]: Shapes } = {
  workflows: {
    facts: z.looseObject({ created_at: time, created_by_device_id: id }),
    definition: z.looseObject({
      name: text,
      script_id: maybeId,
      handler_config: anyObject.nullish(),
    }),
    progress: z.looseObject({
      status: z.enum(['active', 'paused']),
      reason: maybeText,
      updated_at: time,
    }),
    draft: z.looseObject({ script_id: id, based_on: maybeId }),
  },
  scripts: {
    facts: z.looseObject({
      workflow_id: id,
      sha: text,
      code: text,
      file_name: maybeText,
      handler_config: anyObject.nullish(),
      created_at: maybeTime,
      device_id: maybeId,
    }),
  },
  script_runs: {
    facts: z.looseObject({
      workflow_id: id,
      lane: z.enum(LANES),
      start_request_id: text,
      trigger: z.enum(TRIGGERS),
      script_id: maybeId,
      run_start_sha: text,
      flags: anyObject.nullish(),
      device_id: id,
      created_at: time,
    }),
    progress: z.looseObject({
      status: z.enum(SCRIPT_RUN_STATUSES),
      sandbox_id: maybeText,
      terminal_event_id: maybeText,
      run_end_sha: maybeText,
      error: maybeText,
      ended_at: maybeTime,
    }),
  },
  run_events: {
    facts: z.looseObject({
      event_type: text,
      event_id: maybeText,
      persisted_at: date.nullish(),
      emitted_at: date.nullish(),
      device_id: maybeId,
      payload: anyObject.nullish(),
    }),
  },
  topics: { facts: z.looseObject({ workflow_id: id, name: text, created_at: maybeTime }) },
  events: {
    facts: z.looseObject({
      topic_id: id,
      workflow_id: id,
      message_id: text,
      created_by_run_id: maybeId,
      caused_by: maybeId,
      also_caused_by: z.array(text).nullish(),
      depth: z.number().nullish(),
      created_at: time,
      arrival: maybeTime,
      place: count.nullish(),
    }),
    content: z.looseObject({ title: text }),
    progress: z.looseObject({
      status: z.enum(EVENT_STATUSES),
      attempt_number: count,
      reserved_by_run_id: maybeId,
      skip_reason: maybeText,
      error: maybeText,
      updated_at: maybeTime,
    }),
  },
  handler_runs: {
    facts: z.looseObject({
      script_run_id: id,
      workflow_id: id,
      handler_type: z.enum(HANDLER_TYPES),
      handler_name: text,
      retry_of: maybeId,
      caused_by: maybeId,
      device_id: id,
      epoch: count,
      start_timestamp: date,
    }),
    progress: runProgress,
    takeover: runProgress,
    prepare_result: z
      .looseObject({
        reservations: z.array(z.looseObject({ eventId: text, attempt: z.number() })).nullish(),
        ui: z.looseObject({ title: maybeText }).nullish(),
      })
      .nullable(),
    logs: z.array(z.unknown()),
  },
  mutations: {
    facts: z.looseObject({
      handler_run_id: id,
      workflow_id: id,
      device_id: id,
      epoch: count,
      created_at: time,
    }),
    call: z.looseObject({ tool_namespace: text, tool_method: text, idempotency_key: text }),
    outcome: effectOutcome,
    recovered: effectOutcome,
    takeover: effectOutcome,
  },
  handler_state: {
    facts: z.looseObject({ workflow_id: id, handler_name: text }),
    value: z.looseObject({
      state: z.unknown(),
      updated_at: maybeTime,
      updated_by_run_id: maybeId,
    }),
  },
  reservations: {},
  resolutions: {
    facts: z.looseObject({
      mutation_id: id,
      workflow_id: id,
      resolution: z.enum(RESOLUTIONS),
      note: maybeText,
      confirmed: z.boolean().nullish(),
      not_before: maybeTime,
      device_id: id,
      created_at: time,
    }),
    /** The first edition wrote `carried_out` for `done`. */
    outcome: decision.extend({ status: z.enum([...DECISION_STATUSES, 'carried_out']) }),
  },
  ownership_claims: {
    facts: z.looseObject({
      how: z.enum(CLAIM_WAYS),
      from_device_id: maybeText,
      from_epoch: count.nullish(),
      claimed_at: time,
    }),
    release: z.looseObject({ to_device_id: text, at: maybeTime }),
  },
  intents: {
    facts: z.looseObject({ workflow_id: id, device_id: id, created_at: time }),
    outcome: decision,
  },
  incidents: {
    facts: z.looseObject({
      kind: z.enum(INCIDENT_KINDS),
      workflow_id: id,
      about: text,
      at: time,
    }),
    acknowledged: z.looseObject({ device_id: id, at: time, note: maybeText }),
  },
  devices: {
    facts: z.looseObject({ key_hash: text, created_at: time }),
    profile: z.looseObject({ name: maybeText, updated_at: maybeTime }),
  },
  trigger_events: {
    facts: z.looseObject({
      workflow_id: id,
      kind: z.enum(INPUT_KINDS),
      trigger_id: text,
      dedup_key: text,
      source: text,
      type: text,
      external_id: text,
      title: text,
      topic: maybeText,
      redact_paths: z.array(text).nullish(),
      redacted: z.array(anyObject).nullish(),
      correlation_id: text,
      bytes: count,
      sha256: text,
      device_id: id,
      created_at: time,
    }),
  },
  automation_runs: {
    facts: z.looseObject({
      automation_id: id,
      trigger_event_id: id,
      trigger_id: text,
      queued_at: time,
      deadline_at: time,
    }),
    progress: z.looseObject({
      status: z.enum(AUTOMATION_RUN_STATUSES),
      reason: maybeText,
      failure_stage: z.enum(STAGES).nullish(),
      completion_id: maybeText,
      settled: maybeText,
      moves: count,
      enrichment_started_at: maybeTime,
      enrichment_completed_at: maybeTime,
      execution_started_at: maybeTime,
      prompt_sent_at: maybeTime,
      completed_at: maybeTime,
      last_activity_at: time,
      waited_ms: maybeTime,
      wait: needsHumanSchema.nullish(),
    }),
    artifacts: z.looseObject({
      enrichment: text.optional(),
      sources: text.optional(),
      policy: text.optional(),
      policy_by: text.optional(),
      made_by: text.optional(),
      bytes: z.record(text, z.number()).optional(),
    }),
    session: z.looseObject({ id, created_at: time }),
    stopping: z.looseObject({
      as: z.enum(STOPPING_AS),
      reason: text,
      at: time,
      until: time.optional(),
      held: z.record(text, z.number()).optional(),
    }),
    completion: z.looseObject({ result: z.unknown() }),
  },
  artifacts: { facts: artifactFactsSchema },
  automation_side_effects: {
    facts: z.looseObject({
      run_id: id,
      handler_run_id: id,
      kind: text,
      provider: text,
      created_at: time,
    }),
  },
  automation_side_effect_runs: {},
};

/** Names what is wrong with the value of a column, as "progress.phase: …". Null if it fits. */
export function flawOf(table: string, column: string, value: unknown): string | null {
  const parsed = ROW_SHAPES[table]?.[column]?.safeParse(value);
  if (parsed === undefined || parsed.success) return null;
  if (column !== 'facts' && isNotHere(value)) return null;
  const [issue] = parsed.error.issues;
  const place = [column, ...(issue?.path ?? [])].join('.').slice(0, MAX_PLACE);
  return `${place}: ${issue?.message ?? 'invalid'}`;
}

const MAX_PLACE = 100;

/** The default of a column that has not been merged yet. */
function isNotHere(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
