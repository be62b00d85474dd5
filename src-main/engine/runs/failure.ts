// Handles failures before the effect: the run ends and its events are released, then Holdfast
// retries with backoff, sets the event aside, suspends the run or pauses the workflow. A failure
// after the effect is not handled here. Call everything inside the write that ends the run.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { recordRunEvent } from '#main/engine/runs/record-run-event.ts';
import { NO_WAKE, type ConsumerWake } from '#main/store/tables/consumer-wakes.ts';
import type { WaitsFor } from '#main/tools/tool.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import { retryDelay } from '#shared/backoff.ts';
import {
  ASIDE_IN_A_ROW_BEFORE_PAUSE,
  LOGIC_FAILURES_BEFORE_ASIDE,
  MAX_TRANSIENT_RETRIES,
  RETRY_BASE_MS,
  RETRY_MAX_MS,
} from '#shared/limits.ts';
import type { ErrorType } from '#shared/machines/handler-run.ts';
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
  /** Nothing was done, and the run starts over at once. This is no failure of the handler. */
  readonly startsOver?: true | undefined;
}

export const OWNERSHIP_LOST =
  'Another device owns this workflow now. This device stopped working on it.';

/** `suspects`: the events that count as failed if the run has not reserved any. */
export function handleFailure(
  context: EngineContext,
  run: HandlerRun,
  failure: Failure,
  suspects: readonly string[],
): 'failed' | 'suspended' {
  if (failure.waitsFor) {
    waitForHost(context, run, failure, failure.waitsFor);
    return 'failed';
  }
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
      endRun(context, run, failure);
      retryLater(context, run, failure);
      return 'failed';
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
  const { errorType, error, cost, waitsFor } = failure;
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
  endRun(context, run, why);
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

/** The run starts over when its turn at the host comes. Its failures so far keep their count. */
function waitForHost(
  context: EngineContext,
  run: HandlerRun,
  failure: Failure,
  { until }: WaitsFor,
): void {
  const { consumerWakes } = context.stores;
  endRun(context, run, failure);
  const wake = consumerWakes.get(run.workflowId, run.handlerName);
  consumerWakes.set(run.workflowId, run.handlerName, {
    ...wake,
    notBefore: until,
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

function retryLater(context: EngineContext, run: HandlerRun, failure: Failure): void {
  const { stores, store, random } = context;
  const failures = stores.consumerWakes.get(run.workflowId, run.handlerName).failures + 1;
  if (failures > MAX_TRANSIENT_RETRIES) {
    pause(context, run, `${failures} attempts failed`, failure);
    return;
  }
  const backoff = { baseMs: RETRY_BASE_MS, maxMs: RETRY_MAX_MS };
  stores.consumerWakes.set(run.workflowId, run.handlerName, {
    ...withoutFailures(context, run),
    notBefore: store.clock.now() + retryDelay(failures, backoff, random(), failure.retryAfterMs),
    retryOf: run.id,
    failures,
  });
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
  endRun(context, run, failure);
  const { failures } = stores.consumerWakes.get(run.workflowId, run.handlerName);
  if (run.handlerType === 'producer' || failed.length === 0) {
    pause(context, run, 'it failed', failure);
    return;
  }
  if ((failures + 1) % LOGIC_FAILURES_BEFORE_ASIDE !== 0) {
    retryLater(context, run, failure);
    return;
  }
  for (const id of failed) stores.events.move(id, { type: 'skip', reason: 'set_aside' });
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

/** What is left of the wake: the time that the consumer asked for. Only a prepare() that returns has
 * made use of it; without an event, nothing else makes the consumer due. */
function withoutFailures({ stores }: EngineContext, run: HandlerRun): ConsumerWake {
  const { wakeAt } = stores.consumerWakes.get(run.workflowId, run.handlerName);
  return { ...NO_WAKE, wakeAt };
}
