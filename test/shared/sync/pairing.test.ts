// The pairing protocol as pure machines: every order of what people do and what the line does, and
// somebody in between.
import { describe, expect, it as plainly } from 'vitest';
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

/** One side of a pairing with the messages that are on their way to it. */
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

describe('the link', () => {
  it.prop([
    hex(32),
    token,
    fc.array(fc.tuple(fc.ipV4(), fc.integer({ min: 1, max: 65_535 })), {
      minLength: 1,
      maxLength: 8,
    }),
  ])(
    '[PA-1] says who, where and the token, and is read as it was written',
    (id, secret, places) => {
      const deviceId = id.replaceAll(/[ilou]/g, '0');
      const addresses = places.map(([host, port]) => `${host}:${port}`);
      const link = formatPairingLink({ deviceId, token: secret, addresses });
      expect(link.startsWith('holdfast://pair?')).toBe(true);
      expect(parsePairingLink(` ${link}\n`)).toEqual({ deviceId, token: secret, addresses });
    },
  );

  it.prop([fc.string({ maxLength: 200 }), fc.nat(300), fc.nat(300)])(
    '[PA-1] what is not one is refused by name, never half read',
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

  plainly('[PA-1] one of a later version is told apart from nonsense', () => {
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
  });
});

describe('the proofs', () => {
  // Made by another program: two versions of Holdfast must agree on them to pair.
  plainly('[PA-2] [PA-6] are these very texts', () => {
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

describe('an invitation', () => {
  const { invitations, opened } = openInvitation([], TOKEN, NOW);
  const attempt = (secret = TOKEN, joinerId = 'joiner') => ({
    invitation: invitationId(secret),
    proof: tokenProof(secret, KEYS),
    joinerId,
    keys: KEYS,
  });

  plainly('[PA-2] lets one device in, once; the same one may ask again while it is valid', () => {
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

  plainly('[PA-2] is valid for ten minutes', () => {
    expect(INVITATION_MS).toBe(10 * 60_000);
    expect(judgeAttempt(invitations, attempt(), NOW + INVITATION_MS - 1).verdict).toBe('welcome');
    expect(judgeAttempt(invitations, attempt(), NOW + INVITATION_MS).verdict).toBe('expired');
    expect(isAnyOpen(invitations, NOW + INVITATION_MS - 1)).toBe(true);
    expect(isAnyOpen(invitations, NOW + INVITATION_MS)).toBe(false);
  });

  it.prop([hash, hash, hash])(
    '[PA-2] a proof that was made for other keys is worth nothing',
    (joiner, inviter, proof) => {
      const stolen = { ...attempt(), proof: tokenProof(TOKEN, { joiner, inviter }) };
      expect(judgeAttempt(invitations, stolen, NOW).verdict).toBe('unknown-invitation');
      expect(judgeAttempt(invitations, { ...attempt(), proof }, NOW).verdict).toBe(
        'unknown-invitation',
      );
    },
  );

  it.prop([fc.array(fc.oneof(fc.constant(TOKEN), token), { maxLength: 12 }), fc.boolean()])(
    '[PA-3] after three wrong tries nobody gets in any more, whatever is tried',
    (tries, knowsTheName) => {
      let book = invitations;
      let wrong = 0;
      let isUsed = false;
      for (const secret of tries) {
        const made = attempt(secret);
        const judged = judgeAttempt(
          book,
          knowsTheName ? { ...made, invitation: opened.id } : made,
          NOW,
        );
        book = judged.invitations;
        const isRight = secret === TOKEN;
        if (wrong >= MAX_PAIRING_TRIES) expect(judged.verdict).not.toBe('welcome');
        else if (isRight) expect(judged.verdict).toBe('welcome');
        else expect(judged.verdict).toBe('unknown-invitation');
        if (isRight && wrong < MAX_PAIRING_TRIES) isUsed = true;
        if (!isRight && !isUsed) wrong += 1;
      }
      if (wrong >= MAX_PAIRING_TRIES) expect(isAnyOpen(book, NOW)).toBe(false);
    },
  );
});

describe('by link', () => {
  plainly(
    '[PA-4] the proof is sent, the welcome brings the space; the desk keeps who used it',
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

  plainly.each([
    ['wrong-space', JOINER.name, { id: 'elsewhere', shared: true }, NOW],
    ['clock-off', JOINER.name, JOINER.space, NOW + MAX_CLOCK_DIFFERENCE_MS + 1],
    ['clock-off', JOINER.name, JOINER.space, NOW - MAX_CLOCK_DIFFERENCE_MS - 1],
  ] as const)(
    '[PA-5] %s is told by name, and does not use the link up',
    (why, name, space, now) => {
      const { invitations } = openInvitation([], TOKEN, NOW);
      const joining = joinBy({ by: 'link', token: TOKEN }, KEYS, { ...JOINER, name, space }, now);
      const answer = answerHello(admissionWith({ invitations }), helloOf(joining), visit());
      expect(answer).toMatchObject({ state: { is: 'failed', why }, invitations });
      const [refusal] = answer.send as [PairingMessage];
      const told = stepJoiner(joining.state, { type: 'message', message: refusal }, KEYS);
      expect(told.state).toEqual({ is: 'failed', why });
    },
  );

  plainly('[PA-5] a device that shares with others may join the same space again', () => {
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

describe('by comparison', () => {
  const ends = (state: Side['state']): boolean => state.is === 'paired' || state.is === 'failed';

  function begin(joinerNonce: string, inviterNonce: string): { joiner: Side; inviter: Side } {
    const first = joinBy({ by: 'comparison', nonce: joinerNonce });
    const desk = admissionWith({ waiting: startWaiting(NOW) });
    const answer = answerHello(desk, helloOf(first), visit({ nonce: inviterNonce }));
    return {
      joiner: { state: first.state, inbox: [...answer.send] },
      inviter: { state: answer.state, inbox: [] },
    };
  }

  function act({ joiner, inviter }: { joiner: Side; inviter: Side }, what: Act): void {
    const stepJ = (event: PairingEvent) => stepJoiner(joiner.state as JoinerState, event, KEYS);
    const stepI = (event: PairingEvent) =>
      stepInviter(inviter.state as InviterState, event, visit());
    const tell = (
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
      tell(joiner, inviter, stepJ, { type: 'fail', why: 'gone' });
      tell(inviter, joiner, stepI, { type: 'fail', why: 'gone' });
    } else if (what.startsWith('joiner')) {
      tell(joiner, inviter, stepJ, { type: what === 'joiner-yes' ? 'confirm' : 'reject' });
    } else tell(inviter, joiner, stepI, { type: what === 'inviter-yes' ? 'confirm' : 'reject' });
  }

  plainly('[PA-6] both see the same six digits; two times yes pairs', () => {
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
    '[PA-6] in any order: paired only where both people said yes, and never the joiner before the inviter',
    (joinerNonce, inviterNonce, acts) => {
      const sides = begin(joinerNonce, inviterNonce);
      const yes = { joiner: false, inviter: false };
      for (const what of acts) {
        const { joiner, inviter } = sides;
        if (what === 'joiner-yes' && joiner.state.is === 'comparing') yes.joiner = true;
        if (what === 'inviter-yes' && inviter.state.is === 'comparing') yes.inviter = true;
        const before = { joiner: joiner.state, inviter: inviter.state };
        act(sides, what);
        // An end is an end.
        if (ends(before.joiner)) expect(joiner.state).toBe(before.joiner);
        if (ends(before.inviter)) expect(inviter.state).toBe(before.inviter);
        if (inviter.state.is === 'paired') expect(yes).toEqual({ joiner: true, inviter: true });
        if (joiner.state.is === 'paired') expect(inviter.state.is).toBe('paired');
      }
    },
  );

  it.prop([hash, hash, hash, hash, hash])(
    '[PA-6] somebody in between is seen: the digits of the two sides differ',
    (joinerNonce, inviterNonce, toJoiner, toInviter, middle) => {
      // Two connections: the one in between has its own key on both, and plays both roles.
      const left = { joiner: KEYS.joiner, inviter: middle };
      const right = { joiner: middle, inviter: KEYS.inviter };
      const digitsOfJoiner = comparisonOf(joinerNonce, toJoiner, left).joiner;
      const digitsOfInviter = comparisonOf(toInviter, inviterNonce, right).inviter;
      // One chance in a million: none in these runs.
      expect(digitsOfJoiner).not.toBe(digitsOfInviter);
    },
  );

  it.prop([hash, hash, hash])(
    '[PA-6] who reveals another nonce than it committed to is found out',
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

  plainly(
    '[PA-7] only a device that waits for it compares, one at a time, and not after three failures',
    () => {
      const hello = helloOf(joinBy({ by: 'comparison', nonce: '1'.repeat(64) }));
      const whyNot = (desk: Partial<Admission>, now = NOW): string => {
        const { state } = answerHello(admissionWith(desk), hello, visit({ now }));
        return state.is === 'failed' ? state.why : state.is;
      };
      let waiting = startWaiting(NOW);
      expect(whyNot({})).toBe('not-waiting');
      expect(whyNot({ waiting })).toBe('committed');
      expect(whyNot({ waiting }, NOW + INVITATION_MS)).toBe('not-waiting');
      expect(whyNot({ waiting, isComparing: true })).toBe('busy');
      for (let failed = 1; failed <= MAX_PAIRING_TRIES; failed += 1) {
        expect(whyNot({ waiting })).toBe('committed');
        waiting = countFailedComparison(waiting);
      }
      expect(whyNot({ waiting })).toBe('too-many-tries');
    },
  );
});

describe('what strangers say', () => {
  it.prop([fc.uint8Array({ maxLength: 500 }), fc.jsonValue()])(
    '[PA-8] anything at all is a message, garbled, or of another version',
    (bytes, json) => {
      for (const content of [bytes, new TextEncoder().encode(JSON.stringify(json))]) {
        const message = decodeMessage(content);
        if (typeof message === 'string') expect(['garbled', 'version-too-old']).toContain(message);
        else expect(decodeMessage(encodeMessage(message))).toEqual(message);
      }
    },
  );

  plainly(
    '[PA-8] a version that does not fit is told apart, though nothing else of it is understood',
    () => {
      const later = { type: 'hello', version: 7, oldest: 2, unheard: 'of' };
      expect(decodeMessage(new TextEncoder().encode(JSON.stringify(later)))).toBe(
        'version-too-old',
      );
      const [hello] = joinBy({ by: 'link', token: TOKEN }).send as [PairingMessage];
      const compatible = { ...hello, version: 7, more: true };
      expect(decodeMessage(new TextEncoder().encode(JSON.stringify(compatible)))).toMatchObject({
        type: 'hello',
      });
    },
  );

  plainly('[PA-8] every failure has a name, a sentence and a next step', () => {
    for (const name of Object.keys(PAIRING_FAILURES) as PairingFailure[]) {
      const { message, next } = PAIRING_FAILURES[name];
      expect(message).toMatch(/^[A-Z].*\.$/);
      expect(next).toMatch(/^[A-Z].*\.$/);
      expect(explainFailure(name)).toBe(`${message} ${next}`);
      const told: PairingEvent = { type: 'message', message: { type: 'refuse', reason: name } };
      expect(stepJoiner({ is: 'proving' }, told, KEYS).state).toEqual({ is: 'failed', why: name });
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
  const hear = (message: PairingMessage): PairingEvent => ({ type: 'message', message });
  const revealed = stepJoiner(first.state, hear(answer.send[0] as PairingMessage), keys);
  const inviter = stepInviter(answer.state, hear(revealed.send[0] as PairingMessage), about);
  const joiner = stepJoiner(revealed.state, hear(inviter.send[0] as PairingMessage), keys);
  if (joiner.state.is !== 'comparing' || inviter.state.is !== 'comparing')
    throw new Error('no digits');
  return { joiner: joiner.state.digits, inviter: inviter.state.digits };
}
