// Picks the next work of a lane: open runs first, then the consumer or the producer that has been due
// for longest. If both kinds are due they take turns, so that neither keeps the other from running.
// Reads the store and changes nothing.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { dueSlots, trustedSlot, type Due } from '#main/engine/lane/schedules.ts';
import type { RunnableScript } from '#main/engine/runs/script-cache.ts';
import type { SeenTopics } from '#main/store/tables/consumer-wakes.ts';
import type { TopicEvent } from '#main/store/tables/events.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import { isEarlier, type Arrival } from '#shared/arrival.ts';
import { longestRetry } from '#shared/backoff.ts';
import { runOfFirstMessage } from '#shared/inputs/first-event.ts';
import {
  MAX_WAKE_MS,
  RECONCILE_BASE_MS,
  RECONCILE_MAX_MS,
  RETRY_BASE_MS,
  RETRY_MAX_MS,
} from '#shared/limits.ts';
import { startRequest } from '#shared/start-request.ts';
import type { Schedule } from '#shared/authoring/handler-config.ts';
import { positionOf } from '#shared/machines/continuation.ts';
import { waitUntil } from '#shared/stored-time.ts';
import type { MutationState } from '#shared/machines/mutation.ts';

const LONGEST_RETRY_MS = longestRetry({ baseMs: RETRY_BASE_MS, maxMs: RETRY_MAX_MS });
const LONGEST_CHECK_MS = longestRetry({ baseMs: RECONCILE_BASE_MS, maxMs: RECONCILE_MAX_MS });

export type Work =
  /** A run past its effect, which goes forward. */
  | { readonly type: 'continue'; readonly run: HandlerRun }
  | { readonly type: 'check'; readonly run: HandlerRun }
  /** The run waits for the outcome of an effect, which may be known by now. */
  | { readonly type: 'retry_blocked'; readonly run: HandlerRun }
  | { readonly type: 'consume'; readonly consumer: string; readonly cause: string }
  | { readonly type: 'produce'; readonly producer: string; readonly due: Due }
  /** Nothing is due before `until`. */
  | { readonly type: 'wait'; readonly until: number | null }
  /** An outcome is unknown or a question is open. Nothing runs until it is settled. */
  | { readonly type: 'blocked'; readonly until: number | null };

export interface LaneMemory {
  /** False only if the last run committed or no run was open. Saves a read of the store. */
  mayHaveOpenRuns: boolean;
  /** The other kind goes first if both are due. */
  lastTurn: 'consume' | 'produce';
}

/** After a lane found nothing to do, consumers go first. */
export const NOTHING_OPEN: LaneMemory = { mayHaveOpenRuns: false, lastTurn: 'produce' };

/** Whether the work belongs to a run that was open before. */
export function isOpenRun({ type }: Work): boolean {
  return type !== 'consume' && type !== 'produce' && type !== 'wait';
}

export function pickWork(
  context: EngineContext,
  workflowId: string,
  script: RunnableScript,
  memory: LaneMemory,
): Work {
  const open = memory.mayHaveOpenRuns ? workOfOpenRuns(context, workflowId, script) : null;
  if (open) return open;
  const consumer = longestDueConsumer(context, workflowId, script);
  if (consumer.type === 'consume' && memory.lastTurn === 'produce') return consumer;
  const producer = longestDueProducer(context, workflowId, script);
  if (producer.type === 'produce') return producer;
  if (consumer.type === 'consume') return consumer;
  return { type: 'wait', until: earlier(consumer.until, producer.until) };
}

/** Null if no run is open that the lane can do something about. */
export function workOfOpenRuns(
  { stores, store, hosts }: EngineContext,
  workflowId: string,
  { config }: RunnableScript,
): Work | null {
  for (const run of stores.handlerRuns.open(workflowId)) {
    const { state } = run;
    if (state.phase === 'mutated' || state.phase === 'emitting') return { type: 'continue', run };
    if (state.phase !== 'suspended') continue;
    // Only a version that has the consumer can finish it; a person chose to go on without.
    const isLeftBehind = !Object.hasOwn(config.consumers, run.handlerName);
    if (isLeftBehind && positionOf(state) === 'suspended_after') continue;
    const mutation = stores.mutations.ofRun(run.id)?.state;
    if (state.reason === 'reconciliation' && isKnown(mutation))
      return { type: 'retry_blocked', run };
    if (mutation?.status !== 'needs_reconcile') return { type: 'blocked', until: null };
    const { nextAt, waitsFor } = mutation.reconcile;
    // Its host can be reached again, or this check is the probe.
    const isWaitOver = waitsFor !== undefined && hosts.waitOf(waitsFor) === null;
    if (isWaitOver) return { type: 'check', run };
    const until = waitUntil(nextAt ?? null, store.clock.now(), LONGEST_CHECK_MS);
    return until === null ? { type: 'check', run } : { type: 'blocked', until };
  }
  return null;
}

/** The run has no effect of its own, or the outcome came after the run was suspended. */
function isKnown(mutation: MutationState | undefined): boolean {
  return !mutation || mutation.status === 'applied' || mutation.status === 'failed';
}

function longestDueConsumer(
  { stores, store }: EngineContext,
  workflowId: string,
  script: RunnableScript,
): Work & { type: 'consume' | 'wait' } {
  const now = store.clock.now();
  let longest: { consumer: string; cause: string; since: Arrival } | undefined;
  // No consumer is due by its own time before the earliest of these times.
  const sleepUntil = stores.workflows.runStatus(workflowId)?.consumerSleepUntil ?? null;
  let until = waitUntil(sleepUntil, now, MAX_WAKE_MS);
  const isTimeUp = sleepUntil !== null && until === null;
  for (const [consumer, { subscribes }] of Object.entries(script.config.consumers)) {
    const isLonger = (since: Arrival): boolean => !longest || isEarlier(since, longest.since);
    const wake = stores.consumerWakes.get(workflowId, consumer);
    const notBefore = waitUntil(wake.notBefore, now, LONGEST_RETRY_MS);
    if (notBefore !== null) {
      until = earlier(until, notBefore);
      continue;
    }
    if (isTimeUp && wake.wakeAt !== null) {
      const wakeAt = waitUntil(wake.wakeAt, now, MAX_WAKE_MS);
      until = earlier(until, wakeAt);
      const due = { at: Math.min(wake.wakeAt, now), place: 0 };
      if (wakeAt === null && isLonger(due)) {
        longest = { consumer, cause: startRequest.wake(consumer, wake.wakeAt), since: due };
      }
    }
    for (const topic of subscribes) {
      const topicId = script.topicIds.get(topic) ?? '';
      const [event] = stores.events.peek(topicId, 1);
      const isUnseen = event && hasUnseen(stores, script, topicId, wake.seen);
      if (isUnseen && isLonger(event.arrival)) {
        longest = { consumer, cause: causeOf(event), since: event.arrival };
      }
    }
  }
  return longest
    ? { type: 'consume', consumer: longest.consumer, cause: longest.cause }
    : { type: 'wait', until };
}

/** Whether the consumer's last prepare() may not have seen all that is pending in the topic. */
function hasUnseen(
  { events }: EngineContext['stores'],
  { scriptId }: RunnableScript,
  topicId: string,
  seen: SeenTopics | null,
): boolean {
  if (seen === null || seen.scriptId !== scriptId) return true;
  return events.revision(topicId) > (seen.revisions[topicId] ?? 0);
}

/** The first event of an input opens the session of its run (spec 004). */
function causeOf({ id, state, messageId }: TopicEvent): string {
  const runId = runOfFirstMessage(messageId);
  return runId === null || state.attempt > 1
    ? startRequest.event(id, state.attempt)
    : startRequest.automation(runId);
}

function longestDueProducer(
  { stores, store }: EngineContext,
  workflowId: string,
  { config }: RunnableScript,
): Work & { type: 'produce' | 'wait' } {
  const now = store.clock.now();
  let longest: { producer: string; due: Due; since: number } | undefined;
  let until: number | null = null;
  for (const { producer, nextRunAt } of stores.producerSchedules.of(workflowId)) {
    const schedule: Schedule | undefined = config.producers[producer]?.schedule;
    if (nextRunAt === null || !schedule) continue;
    const trusted = trustedSlot(schedule, nextRunAt, now);
    if (trusted !== nextRunAt) {
      return { type: 'produce', producer, due: { slot: null, missed: [], next: trusted } };
    }
    const { notBefore } = stores.consumerWakes.get(workflowId, producer);
    const at = Math.max(nextRunAt, waitUntil(notBefore, now, LONGEST_RETRY_MS) ?? 0);
    if (at > now) until = earlier(until, at);
    else if (!longest || at < longest.since) {
      longest = { producer, due: dueSlots(schedule, nextRunAt, now), since: at };
    }
  }
  return longest
    ? { type: 'produce', producer: longest.producer, due: longest.due }
    : { type: 'wait', until };
}

function earlier(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}
