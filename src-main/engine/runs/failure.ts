// Handles failures before the effect: the run ends and its events are released, then Holdfast
// retries with backoff, waits for the outside, sets the event aside, suspends the run or pauses the
// workflow. A failure after the effect is not handled here. Call everything inside the write that
// ends the run.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { lastFailureOf, type FailureRecord } from '#main/engine/runs/failure-record.ts';
import { patienceOf, setAsideOverdue, type Patience } from '#main/engine/runs/give-up.ts';
import { recordRunEvent } from '#main/engine/runs/record-run-event.ts';
import { NO_WAKE, type ConsumerWake } from '#main/store/tables/consumer-wakes.ts';
import type { WaitsFor } from '#main/tools/tool.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import { retryDelay } from '#shared/backoff.ts';
import {
  ASIDE_IN_A_ROW_BEFORE_PAUSE,
  LOGIC_FAILURES_BEFORE_ASIDE,
  MAX_TRANSIENT_RETRIES,
  OUTSIDE_RECHECK_MS,
  RETRY_BASE_MS,
  RETRY_MAX_MS,
} from '#shared/limits.ts';
import type { ErrorType } from '#shared/machines/handler-run.ts';
import type { OutsideWaiting } from '#shared/outside/outside-waiting.ts';
import { unreachable } from '#shared/rejection.ts';
import { stoppedByFailure } from '#shared/stop-reason.ts';

export interface Failure {
  readonly errorType: ErrorType;
  readonly error: string;
  /** How long to wait before the next attempt. */
  readonly retryAfterMs?: number | undefined;
  /** Microdollars of calls that the run's row doesn't count yet. */
  readonly cost?: number | undefined;
  /** The host that has to be waited for. This is no failure of the handler. */
  readonly waitsFor?: WaitsFor | undefined;
  /** How long the handler has been waiting for the outside. */
  readonly waiting?: OutsideWaiting | undefined;
  /** Nothing was done, and the run starts over at once. Not a failure of the handler. */
  readonly startsOver?: true | undefined;
}

/** `given_up`: the wait exceeded the author's limit (`giveUpAfter`). */
export type FailureEnd = 'failed' | 'suspended' | 'given_up';

export const OWNERSHIP_LOST =
  'Another device owns this workflow now. This device stopped working on it.';

/** `suspects`: the events that count as failed if the run has not reserved any. */
export function handleFailure(
  context: EngineContext,
  run: HandlerRun,
  failure: Failure,
  suspects: readonly string[],
): FailureEnd {
  if (failure.waitsFor) return waitOrGiveUp(context, run, failure, suspects);
  if (failure.startsOver) {
    startOver(context, run, failure, false);
    return 'failed';
  }
  switch (failure.errorType) {
    case 'auth':
    case 'permission':
      return suspendForApproval(context, run, failure);
    case 'network':
    case 'internal':
      return waitOrGiveUp(context, run, failure, suspects);
    case 'logic':
      retryOrSetAside(context, run, failure, suspects);
      return 'failed';
    default:
      return unreachable(failure.errorType);
  }
}

/** Ends a run before its effect and releases its events. */
export function endRun(context: EngineContext, run: HandlerRun, failure: Failure): void {
  const { stores, store } = context;
  const reserved = stores.events.reservedBy(run.id).map(({ id }) => id);
  if (reserved.length > 0) stores.events.release(reserved, run.id);
  const { errorType, error, cost, waitsFor, waiting } = failure;
  const fail = { type: 'fail', at: store.clock.now(), errorType, error, cost } as const;
  const moved =
    run.handlerType === 'consumer'
      ? stores.handlerRuns.moveConsumer(run.id, fail)
      : stores.handlerRuns.moveProducer(run.id, fail);
  if (moved.type !== 'moved') throw new Error(moved.message);
  recordRunEvent(context, run, 'run.failed', {
    errorType,
    error,
    ...(waitsFor && { waitsFor: { ...waitsFor } }),
    ...(waiting && { waiting: { ...waiting } }),
  });
}

/** Ends a run before its effect. The next run of its handler is its retry; this one didn't fail. */
export function startOver(
  context: EngineContext,
  run: HandlerRun,
  why: Failure,
  isBackoffReset: boolean,
): void {
  const { consumerWakes } = context.stores;
  // A run that was interrupted doesn't end the wait of its handler.
  const { waiting } = lastFailureOf(context, run.workflowId, run.handlerName) ?? {};
  endRun(context, run, { ...why, waiting });
  const wake = isBackoffReset
    ? withoutFailures(context, run)
    : consumerWakes.get(run.workflowId, run.handlerName);
  consumerWakes.set(run.workflowId, run.handlerName, { ...wake, retryOf: run.id });
}

/**
 * Ends a run as the device that made it, after it lost the workflow. Nothing was sent. The new owner
 * releases the events.
 */
export function endRunAsMaker(context: EngineContext, run: HandlerRun, cost = 0): void {
  const { stores, store } = context;
  const fail = {
    type: 'fail',
    at: store.clock.now(),
    errorType: 'internal',
    error: OWNERSHIP_LOST,
    cost,
  } as const;
  const moved =
    run.handlerType === 'consumer'
      ? stores.handlerRuns.moveConsumer(run.id, fail, 'maker')
      : stores.handlerRuns.moveProducer(run.id, fail, 'maker');
  if (moved.type === 'moved') recordRunEvent(context, run, 'run.failed', { error: OWNERSHIP_LOST });
}

function waitOrGiveUp(
  context: EngineContext,
  run: HandlerRun,
  failure: Failure,
  suspects: readonly string[],
): FailureEnd {
  const last = lastFailureOf(context, run.workflowId, run.handlerName);
  const patience = patienceOf(context, run, suspects, last, failure.waitsFor);
  const { waiting } = patience;
  if (patience.isOver) {
    const error = `Gave up after ${patience.limit} ("giveUpAfter"). Nothing was sent. ${failure.error}`;
    endRun(context, run, { ...failure, error, waitsFor: undefined, waiting });
    setAsideOverdue(context, run, patience, error);
    return 'given_up';
  }
  endRun(context, run, { ...failure, waiting });
  if (failure.waitsFor) waitForHost(context, run, failure.waitsFor, patience);
  else retryLater(context, run, failure, last, patience.giveUpAt);
  return 'failed';
}

/** The run starts over when its turn at the host comes. Its failures so far keep their count. */
function waitForHost(
  { stores, store }: EngineContext,
  run: HandlerRun,
  { until }: WaitsFor,
  { giveUpAt }: Patience,
): void {
  const { consumerWakes } = stores;
  consumerWakes.set(run.workflowId, run.handlerName, {
    ...consumerWakes.get(run.workflowId, run.handlerName),
    notBefore: Math.min(until ?? store.clock.now() + OUTSIDE_RECHECK_MS, giveUpAt),
    retryOf: run.id,
  });
}

function suspendForApproval(
  context: EngineContext,
  run: HandlerRun,
  failure: Failure,
): 'failed' | 'suspended' {
  const { stores } = context;
  const { error, cost } = failure;
  const suspend = { type: 'suspend', reason: 'approval', error, cost } as const;
  const moved =
    run.handlerType === 'consumer'
      ? stores.handlerRuns.moveConsumer(run.id, suspend)
      : stores.handlerRuns.moveProducer(run.id, suspend);
  if (moved.type !== 'moved') throw new Error(moved.message);
  recordRunEvent(context, run, 'run.suspended', { reason: 'approval', error: failure.error });
  return 'suspended';
}

/** The outside may be away for days, so only failures of Holdfast itself have a last attempt. */
function retryLater(
  context: EngineContext,
  run: HandlerRun,
  failure: Failure,
  last: FailureRecord | null,
  giveUpAt = Infinity,
): void {
  const { stores, store, random } = context;
  const failures = failuresBefore(context, run, failure, last) + 1;
  if (failure.errorType === 'internal' && failures > MAX_TRANSIENT_RETRIES) {
    pause(context, run, `${failures} attempts failed`, failure);
    return;
  }
  const backoff = { baseMs: RETRY_BASE_MS, maxMs: RETRY_MAX_MS };
  const delay = retryDelay(failures, backoff, random(), failure.retryAfterMs);
  stores.consumerWakes.set(run.workflowId, run.handlerName, {
    ...withoutFailures(context, run),
    notBefore: Math.min(store.clock.now() + delay, giveUpAt),
    retryOf: run.id,
    failures,
  });
}

/** An afternoon of failures of the outside must not count as failures of the handler's code. */
function failuresBefore(
  { stores }: EngineContext,
  run: HandlerRun,
  { errorType }: Failure,
  last: FailureRecord | null,
): number {
  const isOtherKind =
    last?.errorType !== undefined &&
    !last.waitsFor &&
    (last.errorType === 'network') !== (errorType === 'network');
  return isOtherKind ? 0 : stores.consumerWakes.get(run.workflowId, run.handlerName).failures;
}

/** A poison event must not block its topic; a broken version must not set aside every event. */
function retryOrSetAside(
  context: EngineContext,
  run: HandlerRun,
  failure: Failure,
  suspects: readonly string[],
): void {
  const { stores } = context;
  const reserved = stores.events.reservedBy(run.id).map(({ id }) => id);
  const failed = reserved.length > 0 ? reserved : suspects;
  const last = lastFailureOf(context, run.workflowId, run.handlerName);
  const failures = failuresBefore(context, run, failure, last);
  endRun(context, run, failure);
  if (run.handlerType === 'producer' || failed.length === 0) {
    pause(context, run, 'it failed', failure);
    return;
  }
  if ((failures + 1) % LOGIC_FAILURES_BEFORE_ASIDE !== 0) {
    retryLater(context, run, failure, last);
    return;
  }
  const { error } = failure;
  for (const id of failed) stores.events.move(id, { type: 'skip', reason: 'set_aside', error });
  if (failures + 1 >= LOGIC_FAILURES_BEFORE_ASIDE * ASIDE_IN_A_ROW_BEFORE_PAUSE) {
    pause(context, run, 'several events in a row were set aside', failure);
    return;
  }
  stores.consumerWakes.set(run.workflowId, run.handlerName, {
    ...withoutFailures(context, run),
    failures: failures + 1,
  });
}

function pause(context: EngineContext, run: HandlerRun, what: string, failure: Failure): void {
  const { workflows, consumerWakes } = context.stores;
  consumerWakes.set(run.workflowId, run.handlerName, withoutFailures(context, run));
  const reason = stoppedByFailure(run.handlerName, what, failure.error);
  workflows.setStatus(run.workflowId, 'paused', reason);
}

/** The wake without its retries, with the time that the consumer asked for. Only a prepare() that returns
 * has used that time; without an event, nothing else makes the consumer due. */
function withoutFailures({ stores }: EngineContext, run: HandlerRun): ConsumerWake {
  const { wakeAt } = stores.consumerWakes.get(run.workflowId, run.handlerName);
  return { ...NO_WAKE, wakeAt };
}
