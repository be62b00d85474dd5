// An engine under test with the input pipeline, on the virtual clock.
import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { ArtifactStore } from '#main/inputs/artifacts.ts';
import type { DispatcherOptions } from '#main/inputs/dispatcher.ts';
import { InputPipeline } from '#main/inputs/pipeline.ts';
import { startManually } from '#main/inputs/start-manually.ts';
import { createMasker } from '#main/secrets/masker.ts';
import type { AutomationRun } from '#main/store/tables/automation-runs.ts';
import type { Json } from '#shared/json.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

export interface InputsUnderTest {
  readonly under: EngineUnderTest;
  readonly pipeline: InputPipeline;
  readonly artifacts: ArtifactStore;
  /** Starts a manual input and waits until the pipeline is idle. */
  start(workflowId: string, payload?: Json, topic?: string): Promise<string>;
  /** Starts a manual input without waiting. */
  put(workflowId: string, payload?: Json, topic?: string): string;
  run(inputId: string): AutomationRun;
  /** The statuses that its run passed, in order. */
  path(inputId: string): string[];
  idle(): Promise<void>;
  pass(ms: number): Promise<void>;
}

export function startInputs(
  options: {
    readonly under?: EngineUnderTest;
    readonly canReconcile?: boolean;
    readonly stages?: DispatcherOptions['stages'];
  } = {},
): InputsUnderTest {
  const under = options.under ?? startEngine({ canReconcile: options.canReconcile ?? false });
  const { engine, store } = under;
  const artifacts = under.files;
  const pipeline = new InputPipeline({
    engine,
    artifacts,
    ...(options.stages === undefined ? {} : { stages: options.stages }),
  });
  pipeline.start();
  onTestFinished(() => pipeline.stop());
  const idle = async (): Promise<void> => {
    for (let quiet = 0; quiet < 3;) {
      await new Promise((resolve) => setImmediate(resolve));
      await under.idle();
      quiet = pipeline.isBusy ? 0 : quiet + 1;
    }
  };
  const put = (workflowId: string, payload: Json = null, topic = 'in'): string =>
    store.db.write(() =>
      startManually(engine.context.inputs, createMasker(), {
        requestId: randomUUID(),
        workflowId,
        topic,
        title: 'Manual',
        payload,
      }),
    ).inputId;
  return {
    under,
    pipeline,
    artifacts,
    idle,
    put,
    start: async (...given) => {
      const inputId = put(...given);
      await idle();
      return inputId;
    },
    run: (inputId) => store.automationRuns.ofInput(inputId) as AutomationRun,
    path: (inputId) =>
      store.db
        .all<{ to_status: string | null }>(
          `SELECT to_status FROM automation_run_events JOIN automation_runs ON id = run_id
           WHERE trigger_event_id = ? AND to_status IS NOT NULL ORDER BY seq`,
          inputId,
        )
        .map(({ to_status: status }) => status ?? ''),
    pass: async (ms) => {
      await store.clock.advance(ms);
      await idle();
    },
  };
}

/** POSTER with a second consumer that subscribes to the results and reserves none. */
export const READ_POSTER = POSTER.replace(
  'consumers: {',
  `consumers: { look: { subscribes: 'out', async prepare() { return {}; } },`,
);
