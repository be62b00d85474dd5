// The inviting side of pairing: it checks the joining device and sends the welcome once it has paired.
// Pure state machine, like the joiner.
import { isMatch, showDigits, type Comparing } from '#shared/sync/pairing/comparing.ts';
import { isPairingFailure, type PairingFailure } from '#shared/sync/pairing/failures.ts';
import { judgeAttempt, type Invitations } from '#shared/sync/pairing/invitations.ts';
import type { PairingEvent, PairingSelf, Step } from '#shared/sync/pairing/joiner.ts';
import type { Hello, PairingMessage } from '#shared/sync/pairing/messages.ts';
import {
  commitment,
  comparisonDigits,
  isSameText,
  type BothKeys,
} from '#shared/sync/pairing/proofs.ts';
import { INVITATION_MS, MAX_CLOCK_DIFFERENCE_MS, MAX_PAIRING_TRIES } from '#shared/limits.ts';

export type InviterState =
  | { readonly is: 'committed'; readonly hello: Hello; readonly nonce: string }
  | ({ readonly is: 'comparing'; readonly hello: Hello } & Comparing)
  | { readonly is: 'paired'; readonly hello: Hello }
  | { readonly is: 'failed'; readonly why: PairingFailure };

/** Whether this device waits for a comparison, and how many failed since it started waiting. */
export type Waiting =
  | { readonly is: 'not-waiting' }
  | { readonly is: 'waiting'; readonly until: number; readonly failed: number }
  | { readonly is: 'too-many-tries' };

/** Decides who may pair at this moment. */
export interface Admission {
  readonly invitations: Invitations;
  readonly waiting: Waiting;
  readonly isComparing: boolean;
}

export interface Visit {
  readonly self: PairingSelf;
  readonly keys: BothKeys;
  readonly joinerId: string;
  readonly now: number;
  /** Unique to this visit. */
  readonly nonce: string;
  /** Sent only in the welcome. */
  readonly spaceKey: string;
}

type WelcomeData = Pick<Visit, 'self' | 'spaceKey'>;

export function startWaiting(now: number): Waiting {
  return { is: 'waiting', until: now + INVITATION_MS, failed: 0 };
}

/** Counts a comparison without a match; after three of them pairing ends, to stop guessing. */
export function countFailedComparison(waiting: Waiting): Waiting {
  if (waiting.is !== 'waiting') return waiting;
  const failed = waiting.failed + 1;
  return failed >= MAX_PAIRING_TRIES ? { is: 'too-many-tries' } : { ...waiting, failed };
}

/** Handles the first message of a visit. Returns the invitations after it. */
export function answerHello(
  admission: Admission,
  hello: Hello,
  visit: Visit,
): Step<InviterState> & { readonly invitations: Invitations } {
  const { invitations } = admission;
  const flaw = flawOf(hello, visit);
  if (flaw) return { ...fail(flaw), invitations };
  if (hello.join.by === 'comparison') {
    const closed = whyNoComparison(admission, visit.now);
    if (closed) return { ...fail(closed), invitations };
    const { nonce, keys, self } = visit;
    const ours = commitment('inviter', nonce, keys);
    return {
      state: { is: 'committed', hello, nonce },
      send: [{ type: 'commitment', name: self.name, commitment: ours }],
      invitations,
    };
  }
  const { invitation, proof } = hello.join;
  const attempt = { invitation, proof, joinerId: visit.joinerId, keys: visit.keys };
  const judged = judgeAttempt(invitations, attempt, visit.now);
  if (judged.verdict !== 'welcome') {
    return { ...fail(judged.verdict), invitations: judged.invitations };
  }
  return { ...welcome(hello, visit), invitations: judged.invitations };
}

export function stepInviter(
  state: InviterState,
  event: PairingEvent,
  visit: Pick<Visit, 'keys' | 'self' | 'spaceKey'>,
): Step<InviterState> {
  if (state.is === 'paired' || state.is === 'failed') return { state, send: [] };
  switch (event.type) {
    case 'fail':
      return fail(event.why);
    case 'reject':
      return fail('no-match');
    case 'confirm':
      if (state.is !== 'comparing' || state.isConfirmedHere) return { state, send: [] };
      return settle({ ...state, isConfirmedHere: true }, visit, [{ type: 'confirm' }]);
    case 'message':
      return receive(state, event.message, visit);
  }
}

function receive(
  state: Extract<InviterState, { is: 'committed' | 'comparing' }>,
  message: PairingMessage,
  visit: WelcomeData & Pick<Visit, 'keys'>,
): Step<InviterState> {
  if (message.type === 'refuse') {
    const why = isPairingFailure(message.reason) ? message.reason : 'refused';
    return { state: { is: 'failed', why }, send: [] };
  }
  if (state.is === 'committed' && message.type === 'reveal') {
    const { hello, nonce } = state;
    const theirs = hello.join.by === 'comparison' ? hello.join.commitment : '';
    if (!isSameText(commitment('joiner', message.nonce, visit.keys), theirs))
      return fail('no-match');
    const digits = comparisonDigits({ joiner: message.nonce, inviter: nonce }, visit.keys);
    return {
      state: { is: 'comparing', hello, ...showDigits(digits, hello.name) },
      send: [{ type: 'reveal', nonce }],
    };
  }
  if (state.is === 'comparing' && message.type === 'confirm') {
    return settle({ ...state, isConfirmedThere: true }, visit, []);
  }
  return fail('garbled');
}

function settle(
  state: Extract<InviterState, { is: 'comparing' }>,
  visit: WelcomeData,
  send: readonly PairingMessage[],
): Step<InviterState> {
  if (!isMatch(state)) return { state, send };
  const step = welcome(state.hello, visit);
  return { state: step.state, send: [...send, ...step.send] };
}

function flawOf({ now: theirs, space }: Hello, { self, now }: Visit): PairingFailure | null {
  if (Math.abs(theirs - now) > MAX_CLOCK_DIFFERENCE_MS) return 'clock-off';
  if (space.id !== self.space.id && space.shared) return 'wrong-space';
  return null;
}

function whyNoComparison({ waiting, isComparing }: Admission, now: number): PairingFailure | null {
  if (waiting.is === 'too-many-tries') return 'too-many-tries';
  if (waiting.is === 'not-waiting' || now >= waiting.until) return 'not-waiting';
  return isComparing ? 'busy' : null;
}

function welcome(hello: Hello, { self, spaceKey }: WelcomeData): Step<InviterState> {
  const { name, addresses, space } = self;
  return {
    state: { is: 'paired', hello },
    send: [{ type: 'welcome', name, addresses: [...addresses], spaceId: space.id, spaceKey }],
  };
}

function fail(why: PairingFailure): Step<InviterState> {
  return { state: { is: 'failed', why }, send: [{ type: 'refuse', reason: why }] };
}
