// The session that a lane's runs belong to. The first run opens it; it ends a few seconds after the
// last run, or when the version or the owner changes.
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

  /** Ends a session of another epoch or another version. */
  endIfStale(epoch: number, scriptId: string | null): void {
    if (this.#open && (this.#open.epoch !== epoch || this.#open.scriptId !== scriptId)) this.end();
  }

  end(): void {
    this.#cancelLinger();
    this.#open?.end();
    this.#open = null;
  }

  /** Ends the session after the linger time, unless the lane is working then. */
  endLater(isWorking: () => boolean): void {
    if (!this.#open) return;
    this.#cancelLinger();
    const { clock } = this.#context.store;
    this.#cancelLinger = clock.wakeAt(clock.now() + SESSION_LINGER_MS, () => {
      if (!isWorking()) this.end();
    });
  }

  /** Cancels `endLater`. */
  keepOpen(): void {
    this.#cancelLinger();
  }

  /** Forgets the session without ending it, because this lane may no longer write it. */
  discard(): void {
    this.#cancelLinger();
    this.#open = null;
  }
}
