// The pairing protocol as pure state machines: every order of messages, answers and failures, and a man
// in the middle.
import { describe, expect, it as plainIt } from 'vitest';
import { fc, it } from '@fast-check/vitest';
import { INVITATION_MS, MAX_CLOCK_DIFFERENCE_MS, MAX_PAIRING_TRIES } from '#shared/limits.ts';
import {
  explainFailure,
  PAIRING_FAILURES,
  type PairingFailure,
} from '#shared/sync/pairing/failures.ts';
import { isAnyOpen, judgeAttempt, openInvitation } from '#shared/sync/pairing/invitations.ts';
import {
  answerHello,
  countFailedComparison,
  startWaiting,
  stepInviter,
  type Admission,
  type InviterState,
  type Visit,
} from '#shared/sync/pairing/inviter.ts';
import {
  startJoining,
  stepJoiner,
  type JoinBy,
  type JoinerState,
  type PairingEvent,
  type Step,
} from '#shared/sync/pairing/joiner.ts';
import { formatPairingLink, parsePairingLink } from '#shared/sync/pairing/link.ts';
import {
  decodeMessage,
  encodeMessage,
  type Hello,
  type PairingMessage,
} from '#shared/sync/pairing/messages.ts';
import {
  commitment,
  comparisonDigits,
  invitationId,
  tokenProof,
} from '#shared/sync/pairing/proofs.ts';

const NOW = Date.UTC(2026, 5, 1);
const hex = (length: number) =>
  fc
    .array(fc.nat(15), { minLength: length, maxLength: length })
    .map((digits) => digits.map((digit) => digit.toString(16)).join(''));
const hash = hex(64);
const token = hex(32);

const JOINER = { name: 'Laptop', addresses: ['10.0.0.2:1'], space: { id: 'mine', shared: false } };
const INVITER = { name: 'Desk', addresses: ['10.0.0.1:1'], space: { id: 'ours', shared: true } };
const KEYS = { joiner: 'a'.repeat(64), inviter: 'b'.repeat(64) };
const SPACE_KEY = 'd'.repeat(64);
const TOKEN = '0123456789abcdef0123456789abcdef';

function visit(more: Partial<Visit> = {}): Visit {
  return {
    self: INVITER,
    keys: KEYS,
    joinerId: 'joiner',
    now: NOW,
    nonce: 'c'.repeat(64),
    spaceKey: SPACE_KEY,
    ...more,
  };
}

function admissionWith(more: Partial<Admission> = {}): Admission {
  return { invitations: [], waiting: { is: 'not-waiting' }, isComparing: false, ...more };
}

function helloOf(step: Step<JoinerState>): Hello {
  const decoded = decodeMessage(encodeMessage(step.send[0] as PairingMessage));
  if (typeof decoded === 'string' || decoded.type !== 'hello') throw new Error('no hello');
  return decoded;
}

const joinBy = (how: JoinBy, keys = KEYS, self = JOINER, now = NOW): Step<JoinerState> =>
  startJoining(self, keys, how, now);

/** One side of a pairing with its undelivered messages. */
interface Side {
  state: JoinerState | InviterState;
  inbox: PairingMessage[];
}

function deliver(to: Side, from: Side, step: (event: PairingEvent) => Step<Side['state']>): void {
  const message = to.inbox.shift();
  if (!message) return;
  const { state, send } = step({ type: 'message', message });
  to.state = state;
  from.inbox.push(...send);
}

describe('pairing link', () => {
  it.prop([
    hex(32),
    token,
    fc.array(fc.tuple(fc.ipV4(), fc.integer({ min: 1, max: 65_535 })), {
      minLength: 1,
      maxLength: 8,
    }),
  ])(
    '[PA-1] contains device id, token and addresses and parses to the same values',
    (id, secret, places) => {
      const deviceId = id.replaceAll(/[ilou]/g, '0');
      const addresses = places.map(([host, port]) => `${host}:${port}`);
      const link = formatPairingLink({ deviceId, token: secret, addresses });
      expect(link.startsWith('holdfast://pair?')).toBe(true);
      expect(parsePairingLink(` ${link}\n`)).toEqual({ deviceId, token: secret, addresses });
    },
  );

  it.prop([fc.string({ maxLength: 200 }), fc.nat(300), fc.nat(300)])(
    '[PA-1] other text is a bad-link, and a cut link never parses to other values',
    (text, at, length) => {
      expect(parsePairingLink(text)).toBe('bad-link');
      const link = formatPairingLink({
        deviceId: '0'.repeat(32),
        token: TOKEN,
        addresses: ['10.0.0.1:1'],
      });
      const cut = link.slice(0, at % link.length) + link.slice((at % link.length) + 1 + length);
      const read = parsePairingLink(cut);
      if (typeof read !== 'string') {
        expect(read).toMatchObject({ deviceId: '0'.repeat(32), token: TOKEN });
        expect(read.addresses).toHaveLength(1);
      }
    },
  );

  plainIt(
    '[PA-1] a link of a later version is version-too-old, and an invalid one is bad-link',
    () => {
      const link = formatPairingLink({
        deviceId: '0'.repeat(32),
        token: TOKEN,
        addresses: ['[::1]:1'],
      });
      expect(parsePairingLink(link)).toMatchObject({ addresses: ['[::1]:1'] });
      expect(parsePairingLink(link.replace('v=1', 'v=2'))).toBe('version-too-old');
      expect(parsePairingLink(link.replace('v=1', 'v=x'))).toBe('bad-link');
      expect(parsePairingLink(`${link}&t=${TOKEN}`)).toBe('bad-link');
      expect(parsePairingLink(`${link}&a=nowhere`)).toBe('bad-link');
      expect(parsePairingLink(`${link}&x=%`)).toBe('bad-link');
    },
  );
});

describe('proofs', () => {
  // Computed by another program: all versions of Holdfast must agree on these values.
  plainIt('[PA-2] [PA-6] have these exact values', () => {
    expect(invitationId(TOKEN)).toBe('8c802af8664d51e0f48a469608b36b52');
    expect(tokenProof(TOKEN, KEYS)).toBe(
      '99216e039048fa0d1138bef7a0f7c715e7404de851050e215056562387e15c71',
    );
    expect(commitment('joiner', '1'.repeat(64), KEYS)).toBe(
      'eea3aabea2627060b8f1787a98017376cc87d3328cdad1c619e7c02146fd0fd7',
    );
    const nonces = { joiner: '1'.repeat(64), inviter: '2'.repeat(64) };
    expect(comparisonDigits(nonces, KEYS)).toBe('190421');
  });
});

describe('invitation', () => {
  const { invitations, opened } = openInvitation([], TOKEN, NOW);
  const attempt = (secret = TOKEN, joinerId = 'joiner') => ({
    invitation: invitationId(secret),
    proof: tokenProof(secret, KEYS),
    joinerId,
    keys: KEYS,
  });

  plainIt('[PA-2] admits one device, which may repeat its request until it expires', () => {
    const first = judgeAttempt(invitations, attempt(), NOW + 1);
    expect(first.verdict).toBe('welcome');
    expect(judgeAttempt(first.invitations, attempt(), NOW + 2).verdict).toBe('welcome');
    expect(judgeAttempt(first.invitations, attempt(TOKEN, 'other'), NOW + 2).verdict).toBe(
      'already-used',
    );
    expect(judgeAttempt(first.invitations, attempt(), NOW + INVITATION_MS).verdict).toBe(
      'already-used',
    );
  });

  plainIt('[PA-2] is valid for ten minutes', () => {
    expect(INVITATION_MS).toBe(10 * 60_000);
    expect(judgeAttempt(invitations, attempt(), NOW + INVITATION_MS - 1).verdict).toBe('welcome');
    expect(judgeAttempt(invitations, attempt(), NOW + INVITATION_MS).verdict).toBe('expired');
    expect(isAnyOpen(invitations, NOW + INVITATION_MS - 1)).toBe(true);
    expect(isAnyOpen(invitations, NOW + INVITATION_MS)).toBe(false);
  });

  it.prop([hash, hash, hash])('[PA-2] refuses a proof for other keys', (joiner, inviter, proof) => {
    const stolen = { ...attempt(), proof: tokenProof(TOKEN, { joiner, inviter }) };
    expect(judgeAttempt(invitations, stolen, NOW).verdict).toBe('unknown-invitation');
    expect(judgeAttempt(invitations, { ...attempt(), proof }, NOW).verdict).toBe(
      'unknown-invitation',
    );
  });

  it.prop([fc.array(fc.oneof(fc.constant(TOKEN), token), { maxLength: 12 }), fc.boolean()])(
    '[PA-3] after three wrong tokens every attempt is refused',
    (tries, knowsTheId) => {
      let current = invitations;
      let wrong = 0;
      let isUsed = false;
      for (const secret of tries) {
        const made = attempt(secret);
        const judged = judgeAttempt(
          current,
          knowsTheId ? { ...made, invitation: opened.id } : made,
          NOW,
        );
        current = judged.invitations;
        const isRight = secret === TOKEN;
        if (wrong >= MAX_PAIRING_TRIES) expect(judged.verdict).not.toBe('welcome');
        else if (isRight) expect(judged.verdict).toBe('welcome');
        else expect(judged.verdict).toBe('unknown-invitation');
        if (isRight && wrong < MAX_PAIRING_TRIES) isUsed = true;
        if (!isRight && !isUsed) wrong += 1;
      }
      if (wrong >= MAX_PAIRING_TRIES) expect(isAnyOpen(current, NOW)).toBe(false);
    },
  );
});

describe('pairing by link', () => {
  plainIt(
    '[PA-4] the joiner sends a proof instead of the token, and the welcome carries the space',
    () => {
      const { invitations } = openInvitation([], TOKEN, NOW);
      const joining = joinBy({ by: 'link', token: TOKEN });
      expect(JSON.stringify(joining.send)).not.toContain(TOKEN);
      const answer = answerHello(admissionWith({ invitations }), helloOf(joining), visit());
      expect(answer.state.is).toBe('paired');
      expect(answer.invitations).toMatchObject([{ status: 'used', usedBy: 'joiner' }]);
      const [welcome] = answer.send as [PairingMessage];
      const joined = stepJoiner(joining.state, { type: 'message', message: welcome }, KEYS);
      expect(joined.state).toEqual({
        is: 'paired',
        welcome: {
          type: 'welcome',
          name: 'Desk',
          addresses: ['10.0.0.1:1'],
          spaceId: 'ours',
          spaceKey: SPACE_KEY,
        },
      });
    },
  );

  plainIt.each([
    ['wrong-space', JOINER.name, { id: 'elsewhere', shared: true }, NOW],
    ['clock-off', JOINER.name, JOINER.space, NOW + MAX_CLOCK_DIFFERENCE_MS + 1],
    ['clock-off', JOINER.name, JOINER.space, NOW - MAX_CLOCK_DIFFERENCE_MS - 1],
  ] as const)(
    '[PA-5] %s is sent to the joiner and does not use up the invitation',
    (why, name, space, now) => {
      const { invitations } = openInvitation([], TOKEN, NOW);
      const joining = joinBy({ by: 'link', token: TOKEN }, KEYS, { ...JOINER, name, space }, now);
      const answer = answerHello(admissionWith({ invitations }), helloOf(joining), visit());
      expect(answer).toMatchObject({ state: { is: 'failed', why }, invitations });
      const [refusal] = answer.send as [PairingMessage];
      const refused = stepJoiner(joining.state, { type: 'message', message: refusal }, KEYS);
      expect(refused.state).toEqual({ is: 'failed', why });
    },
  );

  plainIt('[PA-5] a device that shares a space may join the same space again', () => {
    const { invitations } = openInvitation([], TOKEN, NOW);
    const again = { ...JOINER, space: { id: 'ours', shared: true } };
    const joining = joinBy({ by: 'link', token: TOKEN }, KEYS, again);
    expect(answerHello(admissionWith({ invitations }), helloOf(joining), visit()).state.is).toBe(
      'paired',
    );
  });
});

type Act =
  | 'to-joiner'
  | 'to-inviter'
  | 'joiner-yes'
  | 'inviter-yes'
  | 'joiner-no'
  | 'inviter-no'
  | 'lost';

describe('pairing by comparison', () => {
  const ends = (state: Side['state']): boolean => state.is === 'paired' || state.is === 'failed';

  function begin(joinerNonce: string, inviterNonce: string): { joiner: Side; inviter: Side } {
    const first = joinBy({ by: 'comparison', nonce: joinerNonce });
    const admission = admissionWith({ waiting: startWaiting(NOW) });
    const answer = answerHello(admission, helloOf(first), visit({ nonce: inviterNonce }));
    return {
      joiner: { state: first.state, inbox: [...answer.send] },
      inviter: { state: answer.state, inbox: [] },
    };
  }

  function act({ joiner, inviter }: { joiner: Side; inviter: Side }, what: Act): void {
    const stepJ = (event: PairingEvent) => stepJoiner(joiner.state as JoinerState, event, KEYS);
    const stepI = (event: PairingEvent) =>
      stepInviter(inviter.state as InviterState, event, visit());
    const apply = (
      side: Side,
      other: Side,
      step: typeof stepJ | typeof stepI,
      event: PairingEvent,
    ) => {
      const { state, send } = step(event);
      side.state = state;
      other.inbox.push(...send);
    };
    if (what === 'to-joiner') deliver(joiner, inviter, stepJ);
    else if (what === 'to-inviter') deliver(inviter, joiner, stepI);
    else if (what === 'lost') {
      apply(joiner, inviter, stepJ, { type: 'fail', why: 'gone' });
      apply(inviter, joiner, stepI, { type: 'fail', why: 'gone' });
    } else if (what.startsWith('joiner')) {
      apply(joiner, inviter, stepJ, { type: what === 'joiner-yes' ? 'confirm' : 'reject' });
    } else apply(inviter, joiner, stepI, { type: what === 'inviter-yes' ? 'confirm' : 'reject' });
  }

  plainIt('[PA-6] both sides show the same six digits, and two confirmations pair', () => {
    const sides = begin('1'.repeat(64), '2'.repeat(64));
    for (const what of ['to-joiner', 'to-inviter', 'to-joiner'] as const) act(sides, what);
    expect(sides.joiner.state).toMatchObject({ is: 'comparing', peerName: 'Desk' });
    expect(sides.inviter.state).toMatchObject({ is: 'comparing', peerName: 'Laptop' });
    const [one, other] = [sides.joiner.state, sides.inviter.state] as { digits: string }[];
    expect(one?.digits).toMatch(/^\d{6}$/);
    expect(one?.digits).toBe(other?.digits);
    for (const what of [
      'joiner-yes',
      'to-inviter',
      'inviter-yes',
      'to-joiner',
      'to-joiner',
    ] as const) {
      act(sides, what);
    }
    expect(sides.inviter.state).toMatchObject({ is: 'paired' });
    expect(sides.joiner.state).toMatchObject({ is: 'paired', welcome: { spaceId: 'ours' } });
  });

  it.prop([
    hash,
    hash,
    fc.array(
      fc.constantFrom<Act>(
        'to-joiner',
        'to-inviter',
        'to-joiner',
        'to-inviter',
        'joiner-yes',
        'inviter-yes',
        'joiner-no',
        'inviter-no',
        'lost',
      ),
      { maxLength: 40 },
    ),
  ])(
    '[PA-6] in any order, sides pair only after both confirmed, and the inviter pairs first',
    (joinerNonce, inviterNonce, acts) => {
      const sides = begin(joinerNonce, inviterNonce);
      const yes = { joiner: false, inviter: false };
      for (const what of acts) {
        const { joiner, inviter } = sides;
        if (what === 'joiner-yes' && joiner.state.is === 'comparing') yes.joiner = true;
        if (what === 'inviter-yes' && inviter.state.is === 'comparing') yes.inviter = true;
        const before = { joiner: joiner.state, inviter: inviter.state };
        act(sides, what);
        // A final state never changes.
        if (ends(before.joiner)) expect(joiner.state).toBe(before.joiner);
        if (ends(before.inviter)) expect(inviter.state).toBe(before.inviter);
        if (inviter.state.is === 'paired') expect(yes).toEqual({ joiner: true, inviter: true });
        if (joiner.state.is === 'paired') expect(inviter.state.is).toBe('paired');
      }
    },
  );

  it.prop([hash, hash, hash, hash, hash])(
    '[PA-6] with a man in the middle, the digits of the two sides differ',
    (joinerNonce, inviterNonce, toJoiner, toInviter, middle) => {
      // The attacker has its own key on both connections and plays both roles.
      const left = { joiner: KEYS.joiner, inviter: middle };
      const right = { joiner: middle, inviter: KEYS.inviter };
      const digitsOfJoiner = comparisonOf(joinerNonce, toJoiner, left).joiner;
      const digitsOfInviter = comparisonOf(toInviter, inviterNonce, right).inviter;
      // A collision has a chance of one in a million.
      expect(digitsOfJoiner).not.toBe(digitsOfInviter);
    },
  );

  it.prop([hash, hash, hash])(
    '[PA-6] revealing another nonce than the committed one fails',
    (joinerNonce, inviterNonce, other) => {
      fc.pre(other !== joinerNonce && other !== inviterNonce);
      const reveal: PairingEvent = { type: 'message', message: { type: 'reveal', nonce: other } };
      const { joiner, inviter } = begin(joinerNonce, inviterNonce);
      const cheated = stepInviter(
        inviter.state as InviterState,
        reveal,
        visit({ nonce: inviterNonce }),
      );
      expect(cheated.state).toEqual({ is: 'failed', why: 'no-match' });
      const [theirs] = joiner.inbox as [PairingMessage];
      const revealed = stepJoiner(
        joiner.state as JoinerState,
        { type: 'message', message: theirs },
        KEYS,
      );
      expect(stepJoiner(revealed.state, reveal, KEYS).state).toEqual({
        is: 'failed',
        why: 'no-match',
      });
      // Echoing the joiner's own commitment and nonce does not help either.
      const echo = stepJoiner(
        { is: 'committed', nonce: joinerNonce },
        {
          type: 'message',
          message: {
            type: 'commitment',
            name: 'x',
            commitment: (
              helloOf(joinBy({ by: 'comparison', nonce: joinerNonce })).join as {
                commitment: string;
              }
            ).commitment,
          },
        },
        KEYS,
      );
      const echoed = stepJoiner(
        echo.state,
        { type: 'message', message: { type: 'reveal', nonce: joinerNonce } },
        KEYS,
      );
      expect(echoed.state).toEqual({ is: 'failed', why: 'no-match' });
    },
  );

  plainIt(
    '[PA-7] only a waiting device compares, one at a time and not after three failures',
    () => {
      const hello = helloOf(joinBy({ by: 'comparison', nonce: '1'.repeat(64) }));
      const resultFor = (admission: Partial<Admission>, now = NOW): string => {
        const { state } = answerHello(admissionWith(admission), hello, visit({ now }));
        return state.is === 'failed' ? state.why : state.is;
      };
      let waiting = startWaiting(NOW);
      expect(resultFor({})).toBe('not-waiting');
      expect(resultFor({ waiting })).toBe('committed');
      expect(resultFor({ waiting }, NOW + INVITATION_MS)).toBe('not-waiting');
      expect(resultFor({ waiting, isComparing: true })).toBe('busy');
      for (let failed = 1; failed <= MAX_PAIRING_TRIES; failed += 1) {
        expect(resultFor({ waiting })).toBe('committed');
        waiting = countFailedComparison(waiting);
      }
      expect(resultFor({ waiting })).toBe('too-many-tries');
    },
  );
});

describe('untrusted messages', () => {
  it.prop([fc.uint8Array({ maxLength: 500 }), fc.jsonValue()])(
    '[PA-8] any bytes decode to a message, garbled or version-too-old',
    (bytes, json) => {
      for (const content of [bytes, new TextEncoder().encode(JSON.stringify(json))]) {
        const message = decodeMessage(content);
        if (typeof message === 'string') expect(['garbled', 'version-too-old']).toContain(message);
        else expect(decodeMessage(encodeMessage(message))).toEqual(message);
      }
    },
  );

  plainIt('[PA-8] an incompatible version is version-too-old even with unknown fields', () => {
    const later = { type: 'hello', version: 7, oldest: 2, unheard: 'of' };
    expect(decodeMessage(new TextEncoder().encode(JSON.stringify(later)))).toBe('version-too-old');
    const [hello] = joinBy({ by: 'link', token: TOKEN }).send as [PairingMessage];
    const compatible = { ...hello, version: 7, more: true };
    expect(decodeMessage(new TextEncoder().encode(JSON.stringify(compatible)))).toMatchObject({
      type: 'hello',
    });
  });

  plainIt('[PA-8] every failure has a message and a next step and is passed to the joiner', () => {
    for (const name of Object.keys(PAIRING_FAILURES) as PairingFailure[]) {
      const { message, next } = PAIRING_FAILURES[name];
      expect(message).toMatch(/^[A-Z].*\.$/);
      expect(next).toMatch(/^[A-Z].*\.$/);
      expect(explainFailure(name)).toBe(`${message} ${next}`);
      const refusal: PairingEvent = { type: 'message', message: { type: 'refuse', reason: name } };
      expect(stepJoiner({ is: 'proving' }, refusal, KEYS).state).toEqual({
        is: 'failed',
        why: name,
      });
    }
    const unknown: PairingEvent = {
      type: 'message',
      message: { type: 'refuse', reason: 'whatever' },
    };
    expect(stepJoiner({ is: 'proving' }, unknown, KEYS).state).toEqual({
      is: 'failed',
      why: 'refused',
    });
  });
});

/** The digits that each side of one connection would show. */
function comparisonOf(
  joinerNonce: string,
  inviterNonce: string,
  keys: typeof KEYS,
): { joiner: string; inviter: string } {
  const first = startJoining(JOINER, keys, { by: 'comparison', nonce: joinerNonce }, NOW);
  const about = visit({ keys, nonce: inviterNonce });
  const answer = answerHello(admissionWith({ waiting: startWaiting(NOW) }), helloOf(first), about);
  const received = (message: PairingMessage): PairingEvent => ({ type: 'message', message });
  const revealed = stepJoiner(first.state, received(answer.send[0] as PairingMessage), keys);
  const inviter = stepInviter(answer.state, received(revealed.send[0] as PairingMessage), about);
  const joiner = stepJoiner(revealed.state, received(inviter.send[0] as PairingMessage), keys);
  if (joiner.state.is !== 'comparing' || inviter.state.is !== 'comparing')
    throw new Error('no digits');
  return { joiner: joiner.state.digits, inviter: inviter.state.digits };
}
