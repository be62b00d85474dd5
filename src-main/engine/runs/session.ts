// A session of the engine in one workflow lane: the script run that its handler runs belong to,
// and the fence in every write that reports for it.
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { ScriptRun } from '#main/store/tables/script-runs.ts';
import type { Flags } from '#shared/flags.ts';
import { endOfSession } from '#shared/machines/script-run.ts';
import type { Lane, Trigger } from '#shared/session-enums.ts';
import { startRequest } from '#shared/start-request.ts';

/** Thrown where a session reports progress in a workflow that another device owns now. */
export class OwnershipLost extends Error {
  constructor(workflowId: string) {
    super(`Another device owns the workflow ${workflowId} now.`);
    this.name = 'OwnershipLost';
  }
}

/** Thrown where a session reports progress after another one was opened in its lane. */
export class SessionLost extends Error {
  constructor(runId: string) {
    super(`Session ${runId} lost its lane to another session.`);
    this.name = 'SessionLost';
  }
}

export class Session {
  readonly runId: string;
  readonly scriptId: string | null;
  readonly flags: Flags;
  /** The epoch of the ownership claim that the session was opened under. */
  readonly epoch: number;
  readonly #context: EngineContext;
  readonly #run: ScriptRun;
  readonly #sandboxId: string;
  #accepted = 0;

  constructor(context: EngineContext, run: ScriptRun, sandboxId: string, epoch: number) {
    this.#context = context;
    this.#run = run;
    this.#sandboxId = sandboxId;
    this.epoch = epoch;
    this.runId = run.id;
    this.scriptId = run.scriptId;
    this.flags = run.flags;
  }

  /** The fence: call it inside every write that reports for this session. */
  accept(): void {
    const { workflowId } = this.#run;
    if (!this.#context.stores.ownership.holds(workflowId, this.epoch)) {
      throw new OwnershipLost(workflowId);
    }
    this.#accepted += 1;
    const claim = {
      workflowId,
      lane: this.#run.lane,
      runId: this.runId,
      sandboxId: this.#sandboxId,
    };
    const isOurs = this.#context.stores.runContexts.acceptSeq(claim, this.#accepted);
    if (!isOurs) throw new SessionLost(this.runId);
  }

  end(): void {
    finishSession(this.#context, this.runId, this.#sandboxId);
  }
}

/** Ends a session as its runs ended; a check of a file is cut off. `why`: the error of one that leaves work. */
export function finishSession(
  { stores }: EngineContext,
  runId: string,
  cause: string,
  why?: string,
): void {
  const runs = stores.handlerRuns.unfinishedOf(runId);
  const isCheck = stores.scriptRuns.get(runId)?.state.status === 'validating';
  const status = isCheck ? 'canceled' : endOfSession(runs);
  const end = { runId, status, terminalEventId: `${cause}:${status}` };
  const failed = runs.failed === 1 ? '1 run failed.' : `${runs.failed} runs failed.`;
  if (status === 'completed') stores.runContexts.finishRun(end);
  else stores.runContexts.finishRun({ ...end, error: status === 'failed' ? failed : why });
}

/** Null if another session is active in this lane. */
export async function openSession(
  context: EngineContext,
  request: { readonly workflowId: string; readonly lane: Lane; readonly trigger: Trigger },
  cause: string,
  epoch: number,
): Promise<Session | null> {
  const { stores, store } = context;
  let startRequestId = cause;
  for (;;) {
    const sandboxId = store.ids.ulid();
    const start = { ...request, startRequestId, sandboxId };
    const result = await stores.runContexts.createRunContext(start);
    if (result.type !== 'started') return null;
    if (result.created) return new Session(context, result.run, sandboxId, epoch);
    if (result.run.state.status === 'booting') {
      const bound = stores.runContexts.bindRunSandbox(result.run.id, sandboxId);
      return bound.type === 'finished' ? new Session(context, bound.run, sandboxId, epoch) : null;
    }
    // The session of this cause ended before the work did; a new one continues it.
    startRequestId = startRequest.retry(result.run.id);
  }
}
