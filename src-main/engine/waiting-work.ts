// Wakes the work that waits for outside hosts: one piece of it to find out whether a host can be
// reached again, and all of it, oldest first, once it can. What waits is read from the store, so this
// also holds after a restart.
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { Lanes } from '#main/engine/lane/lanes.ts';
import { outsideRetries, outsideWaits, type OutsideWait } from '#main/engine/outside-waits.ts';
import type { WaitingWork as Work } from '#main/tools/outside-hosts/outside-hosts.ts';

interface Waiting extends OutsideWait {
  readonly workflowId: string;
}

export class WaitingWork implements Work {
  readonly #context: EngineContext;
  readonly #lanes: Lanes;

  constructor(context: EngineContext, lanes: Lanes) {
    this.#context = context;
    this.#lanes = lanes;
  }

  /** Wakes the waits whose host can be reached by now. */
  start(): void {
    const { hosts } = this.#context;
    const isOver = ({ host, until }: Waiting): boolean =>
      until === null && hosts.downSince(host) === null;
    this.#end(this.#waiting().filter(isOver));
    hosts.serve(this);
  }

  stop(): void {
    this.#context.hosts.forget(this);
  }

  /** The one that was tried longest ago, so that they take turns. */
  probe(host: string): boolean {
    const [next] = this.#waitingFor(host).toSorted((a, b) => a.at - b.at);
    if (!next) return false;
    this.#end([next]);
    return true;
  }

  goOn(host: string): void {
    const waiting = this.#waitingFor(host).toSorted((a, b) => a.since - b.since);
    this.#context.hosts.reserve(host, new Set(waiting.map(({ workflowId }) => workflowId)));
    this.#end(waiting);
  }

  retry(): void {
    const workflowIds = this.#context.stores.workflows.ids();
    this.#end(
      workflowIds.flatMap((workflowId) =>
        outsideRetries(this.#context, workflowId).map((handler) => ({ workflowId, handler })),
      ),
    );
  }

  #waitingFor(host: string): Waiting[] {
    return this.#waiting().filter((wait) => wait.until === null && wait.host === host);
  }

  /** Waits of the workflows that this device executes. Checks also run while a workflow is paused. */
  #waiting(): Waiting[] {
    const { stores } = this.#context;
    return stores.workflows.ids().flatMap((workflowId) => {
      if (stores.ownership.epoch(workflowId) === null) return [];
      const isActive = stores.workflows.runStatus(workflowId)?.status === 'active';
      return outsideWaits(this.#context, workflowId)
        .filter(({ kind }) => isActive || kind === 'check')
        .map((wait) => ({ ...wait, workflowId }));
    });
  }

  /** Makes them due and wakes their lanes, in this order. */
  #end(waits: readonly Pick<Waiting, 'workflowId' | 'handler'>[]): void {
    if (waits.length === 0) return;
    const { stores, store } = this.#context;
    store.db.write(() => {
      for (const { workflowId, handler } of waits)
        stores.consumerWakes.endDelay(workflowId, handler);
    });
    for (const workflowId of new Set(waits.map((wait) => wait.workflowId))) {
      this.#lanes.wake(workflowId);
    }
  }
}
