// One action on many runs: a few requests at a time. Runs it doesn't apply to are counted and
// reported.
import type { HostClient } from '#shared/api/client.ts';
import type { ApiError } from '#shared/api/errors.ts';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { isBeforeEffect } from '#renderer/run/cancel-run.tsx';
import { toApiError } from '#renderer/stores/api-failure.ts';

export const BULK_ACTS = ['rerun', 'cancel', 'skip'] as const;
export type BulkAct = (typeof BULK_ACTS)[number];

export interface BulkResult {
  readonly done: number;
  /** Runs the action doesn't apply to. */
  readonly unfit: number;
  /** Distinct error messages from the host. */
  readonly problems: readonly string[];
}

/** Concurrent requests: enough to finish soon, few enough for a busy host. */
const AT_ONCE = 4;

export interface BulkMemory {
  readonly finished: Map<string, boolean>;
  /** Events with their attempt when first seen. */
  readonly attempts: Map<string, number>;
}

export const createBulkMemory = (): BulkMemory => ({ finished: new Map(), attempts: new Map() });

export interface BulkOrder {
  readonly client: HostClient;
  readonly act: BulkAct;
  readonly runIds: readonly string[];
  /** Stays the same across retries. */
  readonly orderId: string;
  /** What was seen and done so far, so that a retry after a lost reply doesn't rerun twice. */
  readonly memory: BulkMemory;
  onProgress(done: number): void;
}

/** Throws if the host can't be reached. Retry with the same order. */
export async function actOnAll(order: BulkOrder): Promise<BulkResult> {
  const { finished } = order.memory;
  const waiting = order.runIds.filter((id) => !finished.has(id));
  const problems = new Set<string>();
  let lost: ApiError | null = null;
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined && !lost; id = waiting.shift()) {
      try {
        finished.set(id, await actOn(order, id));
      } catch (error) {
        const failure = toApiError(error);
        if (failure.type === 'unreachable') lost = failure;
        else problems.add(failure.message);
      }
      order.onProgress(finished.size);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  // Read through a function, because the compiler can't see that `work` assigns it.
  const failure = ((): ApiError | null => lost)();
  if (failure) throw failure;
  const done = [...finished.values()].filter(Boolean).length;
  return { done, unfit: finished.size - done, problems: [...problems] };
}

/** False if the action doesn't apply. Loads the run first, because the list may be stale. */
async function actOn(order: BulkOrder, handlerRunId: string): Promise<boolean> {
  const { client, act, orderId, memory } = order;
  const run = await client.call('handlerRuns.get', { handlerRunId });
  switch (act) {
    case 'cancel':
      if (!isBeforeEffect(run)) return false;
      await client.call('handlerRuns.cancel', { handlerRunId });
      return true;
    case 'skip':
      return skip(client, run, orderId);
    case 'rerun':
      return rerun(client, run, memory);
  }
}

async function rerun(
  client: HostClient,
  { eventsIn }: HandlerRunDetail,
  { attempts }: BulkMemory,
): Promise<boolean> {
  let isDone = false;
  for (const { id, status, attempt } of eventsIn) {
    const isEnded = status === 'consumed' || status === 'skipped';
    const first = attempts.get(id);
    if (first === undefined && isEnded) attempts.set(id, attempt);
    if (first !== undefined && first !== attempt) isDone = true;
    else if (isEnded) {
      await client.call('events.rerun', { eventId: id });
      isDone = true;
    }
  }
  return isDone;
}

async function skip(client: HostClient, run: HandlerRunDetail, orderId: string): Promise<boolean> {
  const { mutation } = run;
  if (run.phase !== 'suspended' || mutation?.status !== 'indeterminate') return false;
  await client.call('inbox.resolve', {
    requestId: `${orderId} ${mutation.id}`,
    mutationId: mutation.id,
    resolution: 'user_skip',
  });
  return true;
}
