// One act on many runs: each is asked for by itself, a few at a time, and what cannot be done is
// told by how many and why, not hidden behind one failure.
import type { HostClient } from '#shared/api/client.ts';
import type { ApiError } from '#shared/api/errors.ts';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { isBeforeEffect } from '#renderer/runs/cancel-run.tsx';
import { toApiError } from '#renderer/client/to-api-error.ts';

export const BULK_ACTIONS = ['rerun', 'cancel', 'skip'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

export interface BulkResult {
  readonly done: number;
  /** There was nothing to do for these: they have ended, or were not that far. */
  readonly notApplicable: number;
  /** What the host said, each sentence once. */
  readonly problems: readonly string[];
}

/** A few at a time: a person waits, and the host has other things to do. */
const CONCURRENCY = 4;

export interface BulkMemory {
  readonly finished: Map<string, boolean>;
  /** Events and the attempt that they were in when they were first seen. */
  readonly attempts: Map<string, number>;
}

export const createBulkMemory = (): BulkMemory => ({ finished: new Map(), attempts: new Map() });

export interface BulkRequest {
  readonly client: HostClient;
  readonly action: BulkAction;
  readonly runIds: readonly string[];
  /** The same for one order, however often it is tried. */
  readonly requestId: string;
  /** What it has seen and done: after a lost answer, trying again must not be one more rerun. */
  readonly memory: BulkMemory;
  onProgress(done: number): void;
}

/** Throws when the host was not reached: then the order is to be tried again as it is. */
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
  // Through a function: the compiler does not see that `work` sets it.
  const failure = ((): ApiError | null => connectionError)();
  if (failure) throw failure;
  const done = [...finished.values()].filter(Boolean).length;
  return { done, notApplicable: finished.size - done, problems: [...problems] };
}

/** False: there is nothing to do for it. Asked for first, because the list may be old. */
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
