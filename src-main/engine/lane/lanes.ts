// The lanes of all workflows on this device, created on first use.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { Lane } from '#main/engine/lane/lane.ts';

export class Lanes {
  readonly #context: EngineContext;
  readonly #lanes = new Map<string, Lane>();
  #isRunning = false;
  #isHeld = false;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  start(): void {
    this.#isRunning = true;
  }

  /** No lane begins a run or an effect until `release`. Runs before their effect start over then. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    if (this.#isRunning) for (const lane of this.#lanes.values()) lane.wake();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all([...this.#lanes.values()].map((lane) => lane.stop()));
  }

  of(workflowId: string): Lane {
    let lane = this.#lanes.get(workflowId);
    if (!lane) {
      lane = new Lane(this.#context, workflowId, () => this.#isHeld);
      this.#lanes.set(workflowId, lane);
    }
    return lane;
  }

  wake(workflowId: string): void {
    if (this.#isRunning) this.of(workflowId).wake();
  }

  isBusy(workflowId: string): boolean {
    return this.#lanes.get(workflowId)?.isBusy ?? false;
  }

  /** Resolves when no lane is working. Timers may still be set. */
  async idle(): Promise<void> {
    while (this.#isAnyBusy()) {
      await Promise.all([...this.#lanes.values()].map((lane) => lane.idle()));
    }
  }

  #isAnyBusy(): boolean {
    for (const lane of this.#lanes.values()) if (lane.isBusy) return true;
    return false;
  }
}
