// Which handlers of a workflow wait for an outside host, from the log of the run that could not go on.
import type { EngineContext } from '#main/engine/engine-context.ts';

export interface HandlerWait {
  readonly handler: string;
  readonly host: string;
  readonly until: number;
}

export function hostWaits({ stores, store }: EngineContext, workflowId: string): HandlerWait[] {
  const now = store.clock.now();
  return stores.consumerWakes.delayed(workflowId, now).flatMap(({ handler, until, retryOf }) => {
    const failed = stores.runState
      .records(retryOf)
      .find(({ eventType }) => eventType === 'run.failed');
    const { waitsFor } = (failed?.payload ?? {}) as { waitsFor?: { host: string } };
    return waitsFor ? [{ handler, host: waitsFor.host, until }] : [];
  });
}
