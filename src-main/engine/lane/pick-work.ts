// Picks the next work of a lane: open runs first, then the consumer with the oldest event, then a
// producer that is due. Reads the store and changes nothing.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { dueSlots, trustedSlot, type Due } from '#main/engine/lane/schedules.ts';
import type { RunnableScript } from '#main/engine/runs/script-cache.ts';
import type { SeenTopics } from '#main/store/tables/consumer-wakes.ts';
import type { TopicEvent } from '#main/store/tables/events.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import { isEarlier } from '#shared/arrival.ts';
import { longestDelay } from '#shared/backoff.ts';
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
import { waitUntil } from '#shared/stored-time.ts';
import type { MutationState } from '#shared/machines/mutation.ts';

const LONGEST_RETRY_MS = longestDelay({ baseMs: RETRY_BASE_MS, maxMs: RETRY_MAX_MS });
const LONGEST_CHECK_MS = longestDelay({ baseMs: RECONCILE_BASE_MS, maxMs: RECONCILE_MAX_MS });

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

/** Saves reads of the store that would find nothing. */
export interface LaneMemory {
  /** False only if the last run committed or no run was open. */
  mayHaveOpenRuns: boolean;
}

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
  const open = memory.mayHaveOpenRuns ? workOfOpenRuns(context, workflowId) : null;
  if (open) return open;
  const consumer = oldestConsumer(context, workflowId, script);
  if (consumer.type === 'consume') return consumer;
  const producer = dueProducer(context, workflowId, script);
  if (producer.type === 'produce') return producer;
  return { type: 'wait', until: earlier(consumer.until, producer.until) };
}

function workOfOpenRuns({ stores, store }: EngineContext, workflowId: string): Work | null {
  for (const run of stores.handlerRuns.open(workflowId)) {
    const { state } = run;
    if (state.phase === 'mutated' || state.phase === 'emitting') return { type: 'continue', run };
    if (state.phase !== 'suspended') continue;
    const mutation = stores.mutations.ofRun(run.id)?.state;
    if (state.reason === 'reconciliation' && isKnown(mutation))
      return { type: 'retry_blocked', run };
    if (mutation?.status !== 'needs_reconcile') return { type: 'blocked', until: null };
    const { nextAt } = mutation.reconcile;
    const until = waitUntil(nextAt ?? null, store.clock.now(), LONGEST_CHECK_MS);
    return until === null ? { type: 'check', run } : { type: 'blocked', until };
  }
  return null;
}

/** The run has no effect of its own, or the outcome came after the run was suspended. */
function isKnown(mutation: MutationState | undefined): boolean {
  return !mutation || mutation.status === 'applied' || mutation.status === 'failed';
}

function oldestConsumer(
  { stores, store }: EngineContext,
  workflowId: string,
  script: RunnableScript,
): Work & { type: 'consume' | 'wait' } {
  const now = store.clock.now();
  let oldest: { consumer: string; event: TopicEvent } | undefined;
  let until: number | null = null;
  for (const [consumer, { subscribes }] of Object.entries(script.config.consumers)) {
    const wake = stores.consumerWakes.get(workflowId, consumer);
    const notBefore = waitUntil(wake.notBefore, now, LONGEST_RETRY_MS);
    if (notBefore !== null) {
      until = earlier(until, notBefore);
      continue;
    }
    const wakeAt = waitUntil(wake.wakeAt, now, MAX_WAKE_MS);
    if (wake.wakeAt !== null && wakeAt === null) {
      return { type: 'consume', consumer, cause: `wake:${consumer}:${wake.wakeAt}` };
    }
    until = earlier(until, wakeAt);
    for (const topic of subscribes) {
      const topicId = script.topicIds.get(topic) ?? '';
      const [event] = stores.events.peek(topicId, 1);
      const isUnseen = event && hasUnseen(stores, script, topicId, wake.seen);
      if (isUnseen && (!oldest || isEarlier(event.arrival, oldest.event.arrival))) {
        oldest = { consumer, event };
      }
    }
  }
  return oldest
    ? { type: 'consume', consumer: oldest.consumer, cause: causeOf(oldest.event) }
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

function dueProducer(
  { stores, store }: EngineContext,
  workflowId: string,
  { config }: RunnableScript,
): Work & { type: 'produce' | 'wait' } {
  const now = store.clock.now();
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
    if (at <= now) return { type: 'produce', producer, due: dueSlots(schedule, nextRunAt, now) };
    until = earlier(until, at);
  }
  return { type: 'wait', until };
}

function earlier(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.min(a, b);
}
