// Runs one pairing over one connection: passes messages to the pure state machine and sends its
// replies, until the state is paired or failed.
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

export interface ExchangeOptions<State> {
  readonly stream: FrameStream;
  readonly clock: Clock;
  /** `setDeadline` can extend it later. */
  readonly deadline: number;
  readonly step: (state: State, event: PairingEvent) => Step<State>;
  /** Called before the replies of this state are sent. */
  readonly onState: (state: State) => void;
}

export class PairingExchange<State extends PairingState> {
  readonly #options: ExchangeOptions<State>;
  #state: State;
  #cancelTimer: () => void = () => undefined;

  constructor(options: ExchangeOptions<State>, first: Step<State>) {
    this.#options = options;
    this.#state = first.state;
    this.#apply(first);
    this.setDeadline(options.deadline);
    options.stream.onEnd(() => this.dispatch({ type: 'fail', why: 'gone' }));
    options.stream.onFrame(({ kind, content }) => {
      if (kind === 'data') this.#receive(content);
      else this.dispatch({ type: 'fail', why: 'garbled' });
    });
  }

  get state(): State {
    return this.#state;
  }

  dispatch(event: PairingEvent): void {
    if (isFinal(this.#state)) return;
    this.#apply(this.#options.step(this.#state, event));
  }

  setDeadline(at: number): void {
    this.#cancelTimer();
    if (isFinal(this.#state)) return;
    this.#cancelTimer = this.#options.clock.wakeAt(at, () =>
      this.dispatch({ type: 'fail', why: 'timed-out' }),
    );
  }

  #receive(content: Uint8Array): void {
    const message = decodeMessage(content);
    if (typeof message === 'string') this.dispatch({ type: 'fail', why: message });
    else this.dispatch({ type: 'message', message });
  }

  #apply({ state, send }: Step<State>): void {
    const { stream, onState } = this.#options;
    this.#state = state;
    onState(state);
    for (const message of send) sendMessage(stream, message);
    if (!isFinal(state)) return;
    this.#cancelTimer();
    stream.close(linkEnd('closed'));
  }
}

export function sendMessage(stream: FrameStream, message: PairingMessage): void {
  void stream.send('data', encodeMessage(message)).catch(() => undefined);
}

function isFinal({ is }: PairingState): boolean {
  return is === 'paired' || is === 'failed';
}
