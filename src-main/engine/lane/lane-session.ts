// The session that a lane's runs belong to: opened with the first run and ended a few seconds
// after the last one.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { openSession, SessionLost, type Session } from '#main/engine/runs/session.ts';
import { SESSION_LINGER_MS } from '#shared/limits.ts';
import type { Trigger } from '#shared/session-enums.ts';

export class LaneSession {
  readonly #context: EngineContext;
  readonly #workflowId: string;
  #open: Session | null = null;
  #cancelLinger: () => void = () => undefined;

  constructor(context: EngineContext, workflowId: string) {
    this.#context = context;
    this.#workflowId = workflowId;
  }

  async ensure(trigger: Trigger, cause: string, epoch: number): Promise<Session> {
    this.#cancelLinger();
    const request = { workflowId: this.#workflowId, lane: 'main', trigger } as const;
    this.#open ??= await openSession(this.#context, request, cause, epoch);
    if (!this.#open) throw new SessionLost(cause);
    return this.#open;
  }

  /** Ends a session of an earlier epoch or of another version than these. */
  endUnless(epoch: number, scriptId: string | null): void {
    if (this.#open && (this.#open.epoch !== epoch || this.#open.scriptId !== scriptId)) this.end();
  }

  end(): void {
    this.#cancelLinger();
    this.#open?.end('completed');
    this.#open = null;
  }

  /** Ends the session after a pause, unless `isWorking` by then. */
  endLater(isWorking: () => boolean): void {
    if (!this.#open) return;
    this.#cancelLinger();
    const { clock } = this.#context.store;
    this.#cancelLinger = clock.wakeAt(clock.now() + SESSION_LINGER_MS, () => {
      if (!isWorking()) this.end();
    });
  }

  keepOpen(): void {
    this.#cancelLinger();
  }

  /** Forgets the session without ending it: it is no longer ours to end. */
  discard(): void {
    this.#cancelLinger();
    this.#open = null;
  }
}
