// The run log of spec 001 (`IRunStateStore` v2.0.0): its contract, the schemas of written and stored events, the
// idempotency key, and the projection of a log into a snapshot.
import { z } from 'zod';
import { sha256Hex } from '#shared/ids.ts';
import { isJsonObject, own, type Json } from '#shared/json.ts';
import { MAX_ID_LENGTH } from '#shared/limits.ts';
import { TERMINAL_SCRIPT_RUN_STATUSES, type ScriptRunStatus } from '#shared/session-enums.ts';

/** `|` separates the parts of the idempotency key, so no part may contain it. */
const keyPart = z
  .string()
  .min(1)
  .max(MAX_ID_LENGTH)
  .regex(/^[^|]*$/, 'must not contain "|"');
const rfc3339Utc = z.iso.datetime({ error: 'must be an RFC 3339 time in UTC' });
const attempt = z.int().min(1);

export const runEventWriteSchema = z.strictObject({
  eventId: z.uuidv4(),
  eventType: keyPart,
  emittedAt: rfc3339Utc,
  runId: keyPart,
  tenantId: z.string().min(1).max(MAX_ID_LENGTH),
  projectId: z.string().min(1).max(MAX_ID_LENGTH),
  environmentId: z.string().min(1).max(MAX_ID_LENGTH),
  planId: keyPart,
  planVersion: keyPart,
  engineAttemptId: attempt,
  logicalAttemptId: attempt,
  idempotencyKey: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex'),
  stepId: keyPart.optional(),
  payload: z.record(z.string(), z.json()).optional(),
});

export const runEventRecordSchema = runEventWriteSchema.extend({
  runSeq: z.int().min(1),
  persistedAt: rfc3339Utc,
});

export type RunEventWrite = z.infer<typeof runEventWriteSchema>;
export type RunEventRecord = z.infer<typeof runEventRecordSchema>;

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const REQUIRED_FIELDS = 12;

/**
 * Accepts the events that Holdfast writes, at half the cost of the schema. If it returns false, the
 * schema decides. The caller checks the idempotency key.
 */
export function passesFastCheck(event: RunEventWrite): boolean {
  const optional = Number('stepId' in event) + Number('payload' in event);
  return (
    Object.keys(event).length === REQUIRED_FIELDS + optional &&
    typeof event.eventId === 'string' &&
    UUID_V4.test(event.eventId) &&
    isPlainTime(event.emittedAt) &&
    [event.eventType, event.runId, event.planId, event.planVersion].every(isKeyPart) &&
    (event.stepId === undefined || isKeyPart(event.stepId)) &&
    [event.tenantId, event.projectId, event.environmentId].every(isId) &&
    isAttempt(event.engineAttemptId) &&
    isAttempt(event.logicalAttemptId) &&
    typeof event.idempotencyKey === 'string' &&
    (event.payload === undefined || isJsonObject(event.payload))
  );
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= MAX_ID_LENGTH;
}

function isKeyPart(value: unknown): boolean {
  return isId(value) && !value.includes('|');
}

function isAttempt(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/** The format that `rfc3339` writes. */
function isPlainTime(value: unknown): boolean {
  if (typeof value !== 'string' || value.length !== 24) return false;
  const ms = Date.parse(value);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === value;
}

export interface AppendResult {
  readonly eventId: string;
  readonly runSeq: number;
  readonly persistedAt: string;
  /** An event with this key existed, so nothing was written. */
  readonly idempotent: boolean;
  readonly persisted: boolean;
}

/**
 * The contract of spec 001. The append authority of a run is the device that owns it: that device numbers
 * its records from 1 without gaps. If another device becomes the owner, it continues in the next term of
 * 2^41 numbers, so that numbers rise with the owners and are never used twice. Readers see each number of
 * a run once. If two devices were forced to number one term (or a peer's rows are wrong), all readers see
 * the same order: of the records with one number, the one with the lowest device id and key keeps it; the
 * others follow at the end of the term, 2^31 further each. Later appends come after all of them.
 */
export interface IRunStateStore {
  appendEvent(event: RunEventWrite): Promise<AppendResult>;
  /** Records after `afterSeq`, in order. The last number of a page continues with the next page. */
  fetchEvents(
    runId: string,
    options?: { afterSeq?: number; limit?: number },
  ): Promise<RunEventRecord[]>;
  getSnapshot(runId: string): Promise<RunSnapshot | null>;
  projectSnapshot(runId: string): Promise<RunSnapshot>;
}

/** 4096 terms. */
export const MAX_RUN_SEQ = Number.MAX_SAFE_INTEGER;

export type KeyParts = Pick<
  RunEventWrite,
  'runId' | 'logicalAttemptId' | 'eventType' | 'planId' | 'planVersion'
> & { readonly stepId?: string | undefined };

/** SHA256(runId|stepIdNormalized|logicalAttemptId|eventType|planId|planVersion) */
export function runEventKey(parts: KeyParts): string {
  return sha256Hex(runEventKeyText(parts));
}

/** The text that the key hashes, for callers with a faster SHA-256. */
export function runEventKeyText(parts: KeyParts): string {
  return [
    parts.runId,
    normalizeStepId(parts.stepId),
    parts.logicalAttemptId,
    parts.eventType,
    parts.planId,
    parts.planVersion,
  ].join('|');
}

/** Normalizes Unicode and trims, so that two spellings of a step id are one step. */
function normalizeStepId(stepId: string | undefined): string {
  return (stepId ?? '').normalize('NFC').trim();
}

export const SNAPSHOT_STATUSES = [
  'unknown',
  'running',
  ...TERMINAL_SCRIPT_RUN_STATUSES,
] as const satisfies readonly ('unknown' | ScriptRunStatus)[];
export type SnapshotStatus = (typeof SNAPSHOT_STATUSES)[number];

/** The projection of a run's log. It always equals a projection of the whole log from the start. */
export interface RunSnapshot {
  readonly runId: string;
  readonly status: SnapshotStatus;
  readonly lastRunSeq: number;
  readonly startedAt: string | null;
  readonly updatedAt: string | null;
  readonly endedAt: string | null;
  readonly logicalAttemptId: number;
  readonly eventCounts: { readonly [eventType: string]: number };
  /** The last event of each step. */
  readonly steps: { readonly [stepId: string]: StepSnapshot };
}

export interface StepSnapshot {
  readonly eventType: string;
  readonly runSeq: number;
  readonly logicalAttemptId: number;
  readonly payload: { readonly [key: string]: Json } | null;
}

const STATUS_OF_EVENT: { readonly [eventType: string]: SnapshotStatus } = {
  'run.started': 'running',
  'run.resumed': 'running',
  'run.validating': 'running',
  'run.suspended': 'suspended',
  'run.completed': 'completed',
  'run.failed': 'failed',
  'run.canceled': 'canceled',
  'run.timed_out': 'timed_out',
};
/** A suspended run can go on. */
const ENDS: readonly SnapshotStatus[] = TERMINAL_SCRIPT_RUN_STATUSES.filter(
  (status) => status !== 'suspended',
);

export function emptySnapshot(runId: string): RunSnapshot {
  return {
    runId,
    status: 'unknown',
    lastRunSeq: 0,
    startedAt: null,
    updatedAt: null,
    endedAt: null,
    logicalAttemptId: 1,
    eventCounts: {},
    steps: {},
  };
}

/** Applies the events after `snapshot` and returns a new snapshot. */
export function projectRunEvents(
  snapshot: RunSnapshot,
  events: Iterable<RunEventRecord>,
): RunSnapshot {
  // One copy for all events: a copy per event would be quadratic in the number of steps.
  const draft = {
    ...snapshot,
    eventCounts: { ...snapshot.eventCounts },
    steps: { ...snapshot.steps },
  };
  for (const event of events) {
    draft.status = nextStatus(draft.status, event.eventType);
    draft.lastRunSeq = event.runSeq;
    draft.startedAt ??= event.emittedAt;
    draft.updatedAt = event.emittedAt;
    if (ENDS.includes(draft.status)) draft.endedAt ??= event.emittedAt;
    draft.logicalAttemptId = Math.max(draft.logicalAttemptId, event.logicalAttemptId);
    setOwn(draft.eventCounts, event.eventType, (own(draft.eventCounts, event.eventType) ?? 0) + 1);
    if (event.stepId !== undefined) setOwn(draft.steps, event.stepId, stepOf(event));
  }
  return draft;
}

/** The events that end a session. */
export const RUN_END_EVENTS: readonly string[] = Object.entries(STATUS_OF_EVENT).flatMap(
  ([eventType, status]) => (ENDS.includes(status) ? [eventType] : []),
);

/** Events about the session itself. Once it has ended, its log takes no more of them. */
export function isLifecycleEvent(eventType: string): boolean {
  return Object.hasOwn(STATUS_OF_EVENT, eventType);
}

/** The first final status stays: a late "started" must not reopen an ended run. */
function nextStatus(current: SnapshotStatus, eventType: string): SnapshotStatus {
  if (ENDS.includes(current)) return current;
  return own(STATUS_OF_EVENT, eventType) ?? (current === 'unknown' ? 'running' : current);
}

function stepOf(event: RunEventRecord): StepSnapshot {
  return {
    eventType: event.eventType,
    runSeq: event.runSeq,
    logicalAttemptId: event.logicalAttemptId,
    payload: event.payload ?? null,
  };
}

/** Assigns safely for untrusted keys such as "__proto__". */
function setOwn<T>(object: { [key: string]: T }, key: string, value: T): void {
  Object.defineProperty(object, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
