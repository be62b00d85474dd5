// The input pipeline: dispatcher, stages and finalizer, started and stopped together.
import {
  OutboxDispatcher,
  type DispatcherOptions,
  type StageListener,
} from '#main/inputs/dispatcher.ts';
import { Finalizer } from '#main/inputs/finalizer.ts';
import type { ArtifactStore } from '#main/inputs/artifacts.ts';
import type { StageContext } from '#main/inputs/stages/stage.ts';
import type { Engine } from '#main/engine/engine.ts';
import { stopInput } from '#main/engine/decisions/stop-input.ts';

export interface PipelineOptions {
  readonly engine: Engine;
  readonly artifacts: ArtifactStore;
  readonly onStage?: StageListener;
  readonly isIngressBusy?: () => boolean;
  readonly stages?: DispatcherOptions['stages'];
}

export class InputPipeline {
  readonly context: StageContext;
  readonly finalizer: Finalizer;
  readonly #dispatcher: OutboxDispatcher;

  constructor({ engine, artifacts, onStage = () => undefined, ...rest }: PipelineOptions) {
    const { stores, store, commits, inputs, policies, log, probe, random } = engine.context;
    this.context = {
      stores,
      store,
      commits,
      runs: inputs,
      artifacts,
      policies,
      workerId: store.ids.ulid(),
      log,
      wake: (workflowId) => engine.wake(workflowId),
      probe,
    };
    const { context } = this;
    this.#dispatcher = new OutboxDispatcher({ context, random, onStage, ...rest });
    this.finalizer = new Finalizer({
      context,
      stopInput: (inputId, stop) => void stopInput(engine, inputId, stop),
    });
    inputs.onWork = () => this.#dispatcher.wake();
  }

  start(): void {
    this.context.stores.automationLeases.endAll();
    this.#dispatcher.start();
    this.finalizer.start();
  }

  async stop(): Promise<void> {
    await this.finalizer.stop();
    await this.#dispatcher.stop();
  }

  /** Call after an outbox row was replayed. */
  wake(): void {
    this.#dispatcher.wake();
  }

  get isBusy(): boolean {
    return this.#dispatcher.isBusy;
  }
}
