// The session in which a changed workflow file is checked (spec 000): in the draft lane, from booting over
// running and validating to its end. It ends in the write of its result. A check that a crash cut off is
// canceled by recovery, and the next check of the same text is a session of its own.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { sha256Hex } from '#shared/ids.ts';
import type { Trigger } from '#shared/session-enums.ts';
import { startRequest } from '#shared/start-request.ts';

export class ValidationSession {
  readonly #context: EngineContext;
  readonly #runId: string;

  constructor(context: EngineContext, runId: string) {
    this.#context = context;
    this.#runId = runId;
  }

  /** Call inside the write of the result. Changes nothing if the session was ended meanwhile. */
  end(status: 'completed' | 'failed', error?: string): void {
    const runId = this.#runId;
    const end = { runId, status, terminalEventId: `validated:${runId}`, error };
    this.#context.stores.runContexts.finishRun(end);
  }
}

/**
 * Null if this text was checked before, or if another session is active in the draft lane. The file is
 * checked then without a session of its own.
 */
export async function openValidation(
  context: EngineContext,
  workflowId: string,
  source: string,
  trigger: Trigger,
): Promise<ValidationSession | null> {
  const { runContexts } = context.stores;
  const { deviceId, ids } = context.store;
  const sandboxId = ids.ulid();
  let startRequestId = startRequest.validate(deviceId, sha256Hex(source));
  for (;;) {
    const start = { workflowId, lane: 'draft', trigger, startRequestId, sandboxId } as const;
    const result = await runContexts.createRunContext(start);
    if (result.type !== 'started') return null;
    const { run } = result;
    if (result.created) {
      runContexts.validateRun(run.id);
      return new ValidationSession(context, run.id);
    }
    if (run.state.status !== 'canceled') return null;
    startRequestId = startRequest.retry(run.id);
  }
}
