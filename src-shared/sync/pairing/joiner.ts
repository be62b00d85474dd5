// The joining side of pairing: it dials, proves the token of a link or compares digits, and on a welcome
// joins the space of the inviter. Pure state machine: the caller passes messages and answers in and
// sends the messages that it returns.
import { isMatch, showDigits, type Comparing } from '#shared/sync/pairing/comparing.ts';
import { isPairingFailure, type PairingFailure } from '#shared/sync/pairing/failures.ts';
import {
  OLDEST_PAIRING_VERSION,
  PAIRING_VERSION,
  type PairingMessage,
  type Welcome,
} from '#shared/sync/pairing/messages.ts';
import {
  commitment,
  comparisonDigits,
  invitationId,
  isSameText,
  tokenProof,
  type BothKeys,
} from '#shared/sync/pairing/proofs.ts';

/** How a device describes itself to the other one. */
export interface PairingSelf {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly space: { readonly id: string; readonly shared: boolean };
}

export type JoinBy =
  | { readonly by: 'link'; readonly token: string }
  | { readonly by: 'comparison'; readonly nonce: string };

export type JoinerState =
  | { readonly is: 'proving' }
  | { readonly is: 'committed'; readonly nonce: string }
  | {
      readonly is: 'revealed';
      readonly nonce: string;
      readonly theirCommitment: string;
      readonly peerName: string;
    }
  | ({ readonly is: 'comparing' } & Comparing)
  | { readonly is: 'paired'; readonly welcome: Welcome }
  | { readonly is: 'failed'; readonly why: PairingFailure };

export type PairingEvent =
  | { readonly type: 'message'; readonly message: PairingMessage }
  /** The person confirmed or rejected the digits. */
  | { readonly type: 'confirm' }
  | { readonly type: 'reject' }
  /** A failure outside the state machine: a lost connection, a timeout, an invalid message. */
  | { readonly type: 'fail'; readonly why: PairingFailure };

export interface Step<State> {
  readonly state: State;
  readonly send: readonly PairingMessage[];
}

export function startJoining(
  self: PairingSelf,
  keys: BothKeys,
  how: JoinBy,
  now: number,
): Step<JoinerState> {
  const join =
    how.by === 'link'
      ? ({
          by: 'link',
          invitation: invitationId(how.token),
          proof: tokenProof(how.token, keys),
        } as const)
      : ({ by: 'comparison', commitment: commitment('joiner', how.nonce, keys) } as const);
  const hello: PairingMessage = {
    type: 'hello',
    version: PAIRING_VERSION,
    oldest: OLDEST_PAIRING_VERSION,
    now,
    name: self.name,
    addresses: [...self.addresses],
    space: self.space,
    join,
  };
  return {
    state: how.by === 'link' ? { is: 'proving' } : { is: 'committed', nonce: how.nonce },
    send: [hello],
  };
}

export function stepJoiner(
  state: JoinerState,
  event: PairingEvent,
  keys: BothKeys,
): Step<JoinerState> {
  if (state.is === 'paired' || state.is === 'failed') return { state, send: [] };
  switch (event.type) {
    case 'fail':
      return fail(event.why);
    case 'reject':
      return fail('no-match');
    case 'confirm':
      if (state.is !== 'comparing' || state.isConfirmedHere) return { state, send: [] };
      return { state: { ...state, isConfirmedHere: true }, send: [{ type: 'confirm' }] };
    case 'message':
      return receive(state, event.message, keys);
  }
}

function receive(state: JoinerState, message: PairingMessage, keys: BothKeys): Step<JoinerState> {
  if (message.type === 'refuse') {
    const why = isPairingFailure(message.reason) ? message.reason : 'refused';
    return { state: { is: 'failed', why }, send: [] };
  }
  if (state.is === 'proving' && message.type === 'welcome') {
    return { state: { is: 'paired', welcome: message }, send: [] };
  }
  if (state.is === 'committed' && message.type === 'commitment') {
    const { nonce } = state;
    const { commitment: theirCommitment, name: peerName } = message;
    return {
      state: { is: 'revealed', nonce, theirCommitment, peerName },
      send: [{ type: 'reveal', nonce }],
    };
  }
  if (state.is === 'revealed' && message.type === 'reveal') {
    if (!isSameText(commitment('inviter', message.nonce, keys), state.theirCommitment)) {
      return fail('no-match');
    }
    const nonces = { joiner: state.nonce, inviter: message.nonce };
    const shown = showDigits(comparisonDigits(nonces, keys), state.peerName);
    return { state: { is: 'comparing', ...shown }, send: [] };
  }
  if (state.is === 'comparing' && message.type === 'confirm') {
    return { state: { ...state, isConfirmedThere: true }, send: [] };
  }
  if (state.is === 'comparing' && message.type === 'welcome' && isMatch(state)) {
    return { state: { is: 'paired', welcome: message }, send: [] };
  }
  return fail('garbled');
}

function fail(why: PairingFailure): Step<JoinerState> {
  return { state: { is: 'failed', why }, send: [{ type: 'refuse', reason: why }] };
}
