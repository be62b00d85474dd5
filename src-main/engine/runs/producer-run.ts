// One run of one producer: user code reads the outside, then state, published events, inputs and the
// schedule's next time are committed together. A producer has no effects.
import type { RunEnd } from '#main/engine/runs/consumer-run.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { attachArtifacts, putArtifacts } from '#main/engine/runs/artifact-calls.ts';
import { endRunAsMaker, handleFailure, type Failure } from '#main/engine/runs/failure.ts';
import { recordRunEvent } from '#main/engine/runs/record-run-event.ts';
import { saveState, publishAll } from '#main/engine/runs/commit-output.ts';
import { allOrNothing } from '#main/engine/runs/refused-write.ts';
import { registerInputs, type Origin } from '#main/engine/runs/register-inputs.ts';
import { runPhase, type HandlerToRun } from '#main/engine/runs/run-phase.ts';
import type { Session } from '#main/engine/runs/session.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { Json } from '#shared/json.ts';

export async function runProducer(options: {
  readonly context: EngineContext;
  readonly session: Session;
  readonly handler: HandlerToRun;
  readonly origin: Origin;
  /** Missed slots that do not run. They are recorded in this run's log. */
  readonly missed: readonly number[];
  /** Called inside the commit of a successful run, to advance the schedule. */
  readonly onCommit: (run: HandlerRun) => void;
}): Promise<RunEnd> {
  const { context, session, handler } = options;
  const { stores, store, commits, probe } = context;
  const { workflowId, name } = handler;
  const inputState = stores.handlerState.get(workflowId, name)?.state ?? null;
  const { retryOf } = stores.consumerWakes.get(workflowId, name);
  const startedAt = store.clock.now();
  const began = performance.now();
  probe('execute:before');
  const run = await commits.commit(() => {
    session.accept();
    const made = stores.handlerRuns.create({
      scriptRunId: session.runId,
      workflowId,
      handlerType: 'producer',
      handlerName: name,
      inputState,
      epoch: session.epoch,
      begins: { phase: 'executing' },
      ...(retryOf === null ? {} : { retryOf }),
    });
    if (options.missed.length > 0) {
      recordRunEvent(context, made, 'schedule.missed', { slots: [...options.missed] });
    }
    return made;
  });
  probe('execute:after');

  const phase = await runPhase(context, handler, 'run', run.id, [inputState]);
  const { cost } = phase.calls;
  const artifacts =
    phase.type === 'done' ? await putArtifacts(context, phase.calls.artifacts.written) : [];
  const fail = (failure: Failure): RunEnd => {
    const ended = handleFailure(context, run, failure, []);
    // The slot is over; the next one runs normally.
    if (ended === 'given_up') options.onCommit(run);
    return ended === 'suspended' ? 'suspended' : 'failed';
  };
  probe('commit:before');
  const end = await commits.commit((): RunEnd => {
    if (phase.logs.length > 0) stores.handlerRuns.setLogs(run.id, phase.logs as unknown as Json);
    if (!stores.ownership.holds(workflowId, session.epoch)) {
      endRunAsMaker(context, run, cost);
      return 'failed';
    }
    if (phase.type === 'failed') return fail({ ...phase, cost });
    session.accept();
    const state = phase.value ?? inputState;
    const problem = allOrNothing(store.db, () => {
      const input = registerInputs(context, run, phase.calls, options.origin);
      const refused = publishAll(context, run, handler.script, phase.calls.published, [], input);
      return refused ?? saveState(context, run, state);
    });
    if (problem !== null) return fail({ errorType: 'logic', error: problem, cost });
    const at = store.clock.now();
    const moved = stores.handlerRuns.moveProducer(run.id, {
      type: 'commit',
      outputState: state,
      at,
      cost,
    });
    if (moved.type !== 'moved') throw new Error(moved.message);
    attachArtifacts(context, run.id, artifacts);
    stores.consumerWakes.clear(workflowId, name);
    options.onCommit(run);
    return 'committed';
  });
  probe('commit:after');
  context.observer?.run({
    workflowId,
    handlerName: name,
    runId: run.id,
    kind: 'producer',
    sessionId: session.runId,
    end,
    startedAt,
    ms: performance.now() - began,
  });
  return end;
}
