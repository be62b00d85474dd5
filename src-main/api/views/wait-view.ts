// API views of waits: of one input, and of the input that waits for an item of the inbox.
import type { Engine } from '#main/engine/engine.ts';
import { waitOf } from '#main/input-lifecycle/needs-human-rule.ts';
import type { AutomationRun } from '#main/store/tables/automation-runs.ts';
import type { WaitView } from '#shared/api/wait-view.ts';

/** Limits how many waiting inputs of a paused workflow are read for its one sentence. */
const MAX_WAITS = 100;

export function toWaitView({ context }: Engine, run: AutomationRun): WaitView | null {
  const wait = waitOf(context.stores, run, context.store.clock.now());
  if (!wait) return null;
  const { endsAt, otherwise, reminders } = wait;
  return { endsAt, otherwise, reminders };
}

/** The wait of the input of this run that ends first. */
export function waitOfRun(engine: Engine, handlerRunId: string): WaitView | null {
  const { inputChain, automationRuns } = engine.context.stores;
  return firstToEnd(
    engine,
    inputChain.inputsOfRun(handlerRunId).flatMap((id) => automationRuns.ofInput(id) ?? []),
  );
}

export function waitOfWorkflow(engine: Engine, workflowId: string): WaitView | null {
  const { automationRuns } = engine.context.stores;
  return firstToEnd(engine, automationRuns.needingHuman(workflowId, MAX_WAITS));
}

function firstToEnd(engine: Engine, runs: readonly AutomationRun[]): WaitView | null {
  const waits = runs.flatMap((run) => toWaitView(engine, run) ?? []);
  return waits.toSorted((a, b) => a.endsAt - b.endsAt)[0] ?? null;
}
