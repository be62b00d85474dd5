// The comparison of digits that is in progress, or the last one. There is at most one at a time.
import type { PairingExchange } from '#main/sync/link/pairing-exchange.ts';
import type { KeyName } from '#shared/sync/device-id.ts';
import type { InviterState } from '#shared/sync/pairing/inviter.ts';
import type { JoinerState } from '#shared/sync/pairing/joiner.ts';

export interface Comparison {
  readonly id: string;
  readonly peer: KeyName;
  readonly state: JoinerState | InviterState;
  readonly peerName: string | null;
  readonly digits: string | null;
}

type Exchange = PairingExchange<JoinerState> | PairingExchange<InviterState>;

export class CurrentComparison {
  #exchange: Exchange | null = null;
  #comparison: Comparison | null = null;

  get view(): Comparison | null {
    return this.#comparison;
  }

  get isRunning(): boolean {
    const state = this.#comparison?.state.is;
    return state !== undefined && state !== 'paired' && state !== 'failed';
  }

  begin(id: string, peer: KeyName, exchange: Exchange): void {
    this.#exchange = exchange;
    this.#comparison = { id, peer, ...describe(exchange.state, null) };
  }

  /** False when another comparison has replaced this one. */
  update(id: string, peer: KeyName, state: JoinerState | InviterState): boolean {
    const current = this.#comparison;
    if (current?.id !== id) return false;
    this.#comparison = { id, peer, ...describe(state, current) };
    return true;
  }

  /** False when the comparison is not in progress. */
  answer(id: string, isSame: boolean): boolean {
    const current = this.#comparison;
    if (current?.id !== id || current.state.is !== 'comparing') return false;
    this.#exchange?.dispatch({ type: isSame ? 'confirm' : 'reject' });
    return true;
  }

  end(): void {
    this.#exchange?.dispatch({ type: 'fail', why: 'gone' });
  }
}

/** Keeps the digits and the name visible after the end. */
function describe(
  state: JoinerState | InviterState,
  before: Comparison | null,
): Pick<Comparison, 'state' | 'peerName' | 'digits'> {
  if (state.is === 'comparing') {
    return { state, peerName: state.peerName, digits: state.digits };
  }
  return { state, peerName: before?.peerName ?? null, digits: before?.digits ?? null };
}
