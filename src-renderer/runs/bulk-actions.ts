// One action on many runs: a few requests at a time. Runs it doesn't apply to are counted and
// reported.
import type { HostClient } from '#shared/api/client.ts';
import type { ApiError } from '#shared/api/errors.ts';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { isBeforeEffect } from '#renderer/runs/cancel-run.tsx';
import { toApiError } from '#renderer/client/to-api-error.ts';

export const BULK_ACTIONS = ['rerun', 'cancel', 'skip'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

export interface BulkResult {
  readonly done: number;
  /** Runs the action doesn't apply to. */
  readonly notApplicable: number;
  /** Distinct error messages from the host. */
  readonly problems: readonly string[];
}

/** Concurrent requests: enough to finish soon, few enough for a busy host. */
const CONCURRENCY = 4;

export interface BulkMemory {
  readonly finished: Map<string, boolean>;
  /** Events with their attempt when first seen. */
  readonly attempts: Map<string, number>;
}

export const createBulkMemory = (): BulkMemory => ({ finished: new Map(), attempts: new Map() });

export interface BulkRequest {
  readonly client: HostClient;
  readonly action: BulkAction;
  readonly runIds: readonly string[];
  /** Stays the same across retries. */
  readonly requestId: string;
  /** Progress so far, so that a retry after a lost reply doesn't rerun twice. */
  readonly memory: BulkMemory;
  onProgress(done: number): void;
}

/** Throws if the host can't be reached. Retry with the same order. */
export async function runBulkAction(request: BulkRequest): Promise<BulkResult> {
  const { finished } = request.memory;
  const waiting = request.runIds.filter((id) => !finished.has(id));
  const problems = new Set<string>();
  let connectionError: ApiError | null = null;
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined && !connectionError; id = waiting.shift()) {
      try {
        finished.set(id, await runOne(request, id));
      } catch (error) {
        const failure = toApiError(error);
        if (failure.type === 'unreachable') connectionError = failure;
        else problems.add(failure.message);
      }
      request.onProgress(finished.size);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  // Read through a function, because the compiler can't see that `work` assigns it.
  const failure = ((): ApiError | null => connectionError)();
  if (failure) throw failure;
  const done = [...finished.values()].filter(Boolean).length;
  return { done, notApplicable: finished.size - done, problems: [...problems] };
}

/** False if the action doesn't apply. Loads the run first, because the list may be stale. */
async function runOne(request: BulkRequest, handlerRunId: string): Promise<boolean> {
  const { client, action, requestId, memory } = request;
  const run = await client.call('handlerRuns.get', { handlerRunId });
  switch (action) {
    case 'cancel':
      if (!isBeforeEffect(run)) return false;
      await client.call('handlerRuns.cancel', { handlerRunId });
      return true;
    case 'skip':
      return skip(client, run, requestId);
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

async function skip(
  client: HostClient,
  run: HandlerRunDetail,
  requestId: string,
): Promise<boolean> {
  const { mutation } = run;
  if (run.phase !== 'suspended' || mutation?.status !== 'indeterminate') return false;
  await client.call('inbox.resolve', {
    requestId: `${requestId} ${mutation.id}`,
    mutationId: mutation.id,
    resolution: 'user_skip',
  });
  return true;
}
