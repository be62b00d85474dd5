// A prepare that is computed while the event that it is about is still being written. It acts on
// nothing and is told nothing before the event stands as it was foreseen; else nobody hears of it.
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { EventToView } from '#main/engine/phase-calls.ts';
import { beginPhase, callsOf, type BegunPhase, type HandlerToRun } from '#main/engine/run-phase.ts';
import type { Json } from '#shared/json.ts';

export class ForeseenPrepare {
  readonly #handler: HandlerToRun;
  readonly #inputState: string;
  readonly #begun: BegunPhase;
  #isDropped = false;

  constructor(
    context: EngineContext,
    handler: HandlerToRun,
    inputState: Json,
    event: EventToView,
    topic: string,
  ) {
    const calls = callsOf(context, handler, 'prepare');
    const given = calls.foresee(event, topic);
    const runId = context.store.ids.ulid();
    this.#handler = handler;
    this.#inputState = JSON.stringify(inputState);
    this.#begun = beginPhase(context, handler, { runId, args: [inputState], calls, given });
  }

  /** What it asked was not answered: it can count for nothing any more. */
  get isDropped(): boolean {
    return this.#isDropped;
  }

  /** The phase, where all that it was given is what it would be given now; else it is dropped. */
  adopt(handler: HandlerToRun, inputState: Json): BegunPhase | null {
    const isMeant = handler.script === this.#handler.script && handler.name === this.#handler.name;
    const isSame = isMeant && JSON.stringify(inputState) === this.#inputState;
    if (!this.#isDropped && isSame && this.#begun.calls.cameTrue()) return this.#begun;
    this.drop();
    return null;
  }

  drop(): void {
    this.#isDropped = true;
    this.#begun.calls.drop();
  }
}
