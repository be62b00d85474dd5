// Lists what waits for the outside in a workflow: handlers, from the log of their failed run, and checks
// of unknown outcomes, from the ledger.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { failureRecordOf, type FailureRecord } from '#main/engine/runs/failure-record.ts';
import { OUTSIDE_RECHECK_MS } from '#shared/limits.ts';

export interface OutsideWait {
  readonly kind: 'handler' | 'check';
  readonly handler: string;
  readonly host: string;
  /** Null: until the host can be reached. */
  readonly until: number | null;
  /** When the wait began. */
  readonly since: number;
  /** When it was tried last. */
  readonly at: number;
}

export function outsideWaits(context: EngineContext, workflowId: string): OutsideWait[] {
  return [...handlerWaits(context, workflowId), ...checkWaits(context, workflowId)];
}

function handlerWaits(context: EngineContext, workflowId: string): OutsideWait[] {
  return delayed(context, workflowId).flatMap(({ handler, record }) => {
    const { waitsFor, waiting } = record;
    if (!waitsFor) return [];
    const { since, at } = waiting ?? { since: 0, at: 0 };
    return [{ kind: 'handler', handler, ...waitsFor, since, at }];
  });
}

/** Handlers whose run failed because of the outside, without a host that they wait for. */
export function outsideRetries(context: EngineContext, workflowId: string): string[] {
  return delayed(context, workflowId)
    .filter(({ record }) => record.errorType === 'network' && !record.waitsFor)
    .map(({ handler }) => handler);
}

function delayed(
  context: EngineContext,
  workflowId: string,
): { readonly handler: string; readonly record: FailureRecord }[] {
  const { stores, store } = context;
  return stores.consumerWakes
    .delayed(workflowId, store.clock.now())
    .flatMap(({ handler, retryOf }) => {
      const record = failureRecordOf(context, retryOf);
      return record ? [{ handler, record }] : [];
    });
}

function checkWaits({ stores, store }: EngineContext, workflowId: string): OutsideWait[] {
  return stores.handlerRuns.open(workflowId).flatMap((run): OutsideWait[] => {
    if (run.state.phase !== 'suspended') return [];
    const mutation = stores.mutations.ofRun(run.id);
    if (mutation?.state.status !== 'needs_reconcile') return [];
    const { waitsFor: host, nextAt = 0 } = mutation.state.reconcile;
    if (host === undefined || nextAt <= store.clock.now()) return [];
    const at = nextAt - OUTSIDE_RECHECK_MS;
    const { handlerName: handler } = run;
    return [{ kind: 'check', handler, host, until: null, since: mutation.createdAt, at }];
  });
}
