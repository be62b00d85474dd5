// The life of each automation run in the log. A line is written after the commit that it tells of, so a
// change that was rolled back is not in the log.
import type { LifecycleContext } from '#main/input-lifecycle/lifecycle-context.ts';
import type { AutomationRun } from '#main/store/tables/automation-runs.ts';

type Fields = { readonly [name: string]: unknown };

interface Line {
  readonly runId: string;
  /** The number of moves that the run has if the change was committed. */
  readonly moves: number;
  readonly message: string;
  readonly fields: Fields;
}

/** The ids that every line about an automation run has. */
export function automationRunFields(
  { stores, store }: Pick<LifecycleContext, 'stores' | 'store'>,
  runId: string,
  run: AutomationRun | undefined = stores.automationRuns.get(runId),
): Fields {
  const inputId = run?.inputId ?? null;
  const given = inputId === null ? undefined : stores.triggerEvents.get(inputId)?.correlationId;
  return {
    run_id: runId,
    trigger_event_id: inputId,
    session_id: run?.session?.id ?? null,
    organization_id: store.spaceId,
    correlation_id: given ?? inputId ?? runId,
  };
}

export class InputLog {
  readonly #context: LifecycleContext;
  #lines: Line[] = [];

  constructor(context: LifecycleContext) {
    this.#context = context;
    const { changes } = context.store.db;
    changes.onCommit(() => this.#flush());
    changes.onRollback(() => (this.#lines = []));
  }

  /** `fields`: no payload and no result. */
  add(runId: string, moves: number, message: string, fields: Fields = {}): void {
    if (this.#context.log.isLevelEnabled('info')) {
      this.#lines.push({ runId, moves, message, fields });
    }
  }

  #flush(): void {
    if (this.#lines.length === 0) return;
    const { stores, log } = this.#context;
    const lines = this.#lines;
    this.#lines = [];
    const known = new Map<string, { readonly moves: number; readonly ids: Fields } | null>();
    for (const { runId, moves, message, fields } of lines) {
      let found = known.get(runId);
      if (found === undefined) {
        const run = stores.automationRuns.get(runId);
        found = run
          ? { moves: run.moves, ids: automationRunFields(this.#context, runId, run) }
          : null;
        known.set(runId, found);
      }
      // A part of the write was rolled back, and the rest committed.
      if (found && found.moves >= moves) log.info({ ...found.ids, ...fields }, message);
    }
  }
}
