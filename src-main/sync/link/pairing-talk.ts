// Carries one pairing over one connection: what comes goes into the pure machine, what it answers
// goes out. It ends by itself: paired, or failed with a name.
import type { FrameStream } from '#main/sync/link/frame-stream.ts';
import type { Clock } from '#shared/clock.ts';
import { linkEnd } from '#shared/sync/link-ends.ts';
import type { PairingFailure } from '#shared/sync/pairing/failures.ts';
import type { PairingEvent, Step } from '#shared/sync/pairing/joiner.ts';
import {
  decodeMessage,
  encodeMessage,
  type PairingMessage,
} from '#shared/sync/pairing/messages.ts';

type PairingState =
  | { readonly is: string }
  | { readonly is: 'failed'; readonly why: PairingFailure };

export interface TalkOptions<State> {
  readonly stream: FrameStream;
  readonly clock: Clock;
  /** Given up then; a later one may be set as the talk goes on. */
  readonly deadline: number;
  readonly step: (state: State, event: PairingEvent) => Step<State>;
  /** Before what follows from it is told to the other side. */
  readonly onState: (state: State) => void;
}

export class PairingTalk<State extends PairingState> {
  readonly #options: TalkOptions<State>;
  #state: State;
  #callOff: () => void = () => undefined;

  constructor(options: TalkOptions<State>, first: Step<State>) {
    this.#options = options;
    this.#state = first.state;
    this.#apply(first);
    this.setDeadline(options.deadline);
    options.stream.onEnd(() => this.tell({ type: 'fail', why: 'gone' }));
    options.stream.onFrame(({ kind, content }) => {
      if (kind === 'data') this.#hear(content);
      else this.tell({ type: 'fail', why: 'garbled' });
    });
  }

  get state(): State {
    return this.#state;
  }

  tell(event: PairingEvent): void {
    if (isFinal(this.#state)) return;
    this.#apply(this.#options.step(this.#state, event));
  }

  setDeadline(at: number): void {
    this.#callOff();
    if (isFinal(this.#state)) return;
    this.#callOff = this.#options.clock.wakeAt(at, () =>
      this.tell({ type: 'fail', why: 'timed-out' }),
    );
  }

  #hear(content: Uint8Array): void {
    const message = decodeMessage(content);
    if (typeof message === 'string') this.tell({ type: 'fail', why: message });
    else this.tell({ type: 'message', message });
  }

  #apply({ state, send }: Step<State>): void {
    const { stream, onState } = this.#options;
    this.#state = state;
    onState(state);
    for (const message of send) sendMessage(stream, message);
    if (!isFinal(state)) return;
    this.#callOff();
    stream.close(linkEnd('closed'));
  }
}

export function sendMessage(stream: FrameStream, message: PairingMessage): void {
  void stream.send('data', encodeMessage(message)).catch(() => undefined);
}

function isFinal({ is }: PairingState): boolean {
  return is === 'paired' || is === 'failed';
}
