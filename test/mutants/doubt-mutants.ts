// Mutants of the evidence for "did not happen", and of the send gate.
import { inFile, type Mutant } from '#test/mutants/mutant.ts';

const PURE = 'test/shared/doubt.test.ts';
const AWAKE = 'test/platform/awake-time.test.ts';
const ENGINE = 'test/engine/doubt.test.ts';
const OVER_HTTP = 'test/engine/doubt-http.test.ts';
const GATE = 'test/engine/send-gate.test.ts';
const GIVING_UP = 'test/tools/http/giving-up.test.ts';
const CONTRACT = 'test/tools/contract.test.ts';
const FILES = 'test/tools/files/effects.test.ts';
const MAIL = 'test/tools/mail/last-look.test.ts';

export const DOUBT_MUTANTS: readonly Mutant[] = [
  ...inFile(
    'src-shared/doubt.ts',
    [PURE],
    [
      [
        'one negative answer is enough',
        'const negativeAt = doubt.negativeAt ?? askedAt.ms;',
        'const negativeAt = doubt.negativeAt ?? -Infinity;',
      ],
      ['the window is not waited for', 'doubt.since + windowMs - askedAt.ms,', '0,'],
      [
        'the window counts until the answer came',
        'doubt.since + windowMs - askedAt.ms,',
        'doubt.since + windowMs - now.ms,',
      ],
      [
        'a sleep does not start the window again',
        'const doubt = known?.span === now.span ? known : startDoubt(askedAt);',
        'const doubt = known ?? startDoubt(askedAt);',
      ],
      [
        'a sleep during the question goes unnoticed',
        'if (askedAt.span !== now.span) {',
        'if (now.ms < 0) {',
      ],
      [
        'an unclear answer leaves earlier negatives',
        'return { span: known.span, since: known.since };',
        'return known;',
      ],
    ],
  ),
  ...inFile(
    'src-main/platform/awake-time.ts',
    [AWAKE],
    [
      ['a late tick counts', 'passed > MAX_GAP_MS || ', ''],
      ['a clock that was set goes unnoticed', ' || step > MAX_CLOCK_STEP_MS', ''],
      ['a stall counts in full', 'Math.min(passed, TICK_MS)', 'passed'],
      ['the timer never stops', 'if (isNeeded()) this.#schedule();', 'this.#schedule();'],
    ],
  ),
  ...inFile(
    'src-main/engine/doubt-clock.ts',
    [ENGINE],
    [['the doubt window does not count', 'return this.#inDoubt.size > 0;', 'return false;']],
  ),
  ...inFile(
    'src-main/engine/runs/effect-ledger.ts',
    [ENGINE, OVER_HTTP],
    [
      [
        'the last negative answer proves that it did not happen',
        "if (isLast) return { type: 'give_up', error: NOT_YET };",
        "if (isLast) return { type: 'fail', error: CHECKED };",
      ],
      [
        'the last checks do not wait for the window',
        'const isLate = attempts + 1 >= MAX_RECONCILE_ATTEMPTS - CONCLUSIVE_CHECKS;',
        'const isLate = false;',
      ],
      [
        'no effect id counts as sent before',
        'const wasSentBefore = others.some(mayHaveLeft);',
        'const wasSentBefore = false;',
      ],
      [
        'the time of the first check is not stored',
        "return { type: 'doubt', error, doubt, nextAt: store.clock.now() + wait };",
        "return { type: 'doubt', error, doubt, nextAt: store.clock.now() };",
      ],
    ],
  ),
  ...inFile(
    'src-main/engine/runs/effects.ts',
    [ENGINE, OVER_HTTP],
    [
      [
        'an effect is checked at once although the outside asked to wait',
        'if (outcome.retryAfterMs !== undefined) return end;',
        '',
      ],
      [
        'a resend has no gate',
        'const resend = { ...how, isResend: true, wasSentBefore: true };',
        'const resend = { ...how, maySend: () => null, isResend: true, wasSentBefore: true };',
      ],
    ],
  ),
  ...inFile(
    'src-main/engine/runs/failure.ts',
    [ENGINE],
    [
      [
        'a run that was too late uses up an attempt',
        'if (failure.startsOver) {',
        'if (failure.startsOver && failure.waitsFor) {',
      ],
    ],
  ),
  ...inFile(
    'src-main/engine/runs/send-gate.ts',
    [GATE, ENGINE],
    [
      ['the gate does not count time', 'if (passedMs > SEND_WITHIN_MS)', 'if (passedMs < 0)'],
      ['a clock that was set back opens the gate', 'Math.abs(wallNow - wall)', 'wallNow - wall'],
      ['the gate knows the wall clock only', ', monotonicNow - monotonic)', ')'],
      [
        'the gate does not read the claim',
        'else if (!isTrue(holdsClaim))',
        'else if (!holdsClaim)',
      ],
      [
        'the gate opens again',
        'let refusal: ToolFailure | null = null;\n  return () => {',
        'let refusal: ToolFailure | null = null;\n  return () => {\n    refusal = null;',
      ],
      [
        'the gate counts from the commit, so a slow dialogue never ends',
        '[wall, monotonic] = [wallNow, monotonicNow];',
        '',
      ],
    ],
  ),
  ...inFile(
    'src-main/tools/http/exchange.ts',
    [GIVING_UP],
    [
      [
        'an open connection does not pass the send gate',
        'const heldBack = maySend?.() ?? null;',
        'const heldBack = null as ToolFailure | null;',
      ],
      [
        'a request that is given up is not reset',
        'if (mayHaveLeft && request.socket) resetConnection(request.socket);',
        '',
      ],
    ],
  ),
  ...inFile(
    'src-main/tools/http/connect.ts',
    [GIVING_UP],
    [['a request over TLS that is given up is not reset', 'tcpBelow.set(socket, tcp);', '']],
  ),
  ...inFile(
    'src-main/tools/http/classify.ts',
    [GIVING_UP, OVER_HTTP],
    [
      [
        '409 is always a refusal',
        'const ABOUT_THE_FIRST_REQUEST = [409, 422];',
        'const ABOUT_THE_FIRST_REQUEST: number[] = [];',
      ],
      [
        '409 is never a refusal',
        'wasSentBefore && ABOUT_THE_FIRST_REQUEST',
        'ABOUT_THE_FIRST_REQUEST',
      ],
    ],
  ),
  ...inFile(
    'src-main/tools/http/reconcile.ts',
    ['test/tools/http/reconcile.test.ts'],
    [
      [
        'a negative answer names no window',
        'settleMs ?? params.timeoutMs + SETTLE_MS',
        'settleMs ?? 0',
      ],
    ],
  ),
  ...inFile(
    'src-main/tools/files/witness.ts',
    [FILES],
    [
      ['a mark of an unsettled time counts', '(before?.isSettled ?? false) && ', ''],
      [
        'a file that changed counts as untouched',
        "typeof mark === 'string' && mark === now[what]",
        "typeof mark === 'string'",
      ],
      [
        'an absent file proves that nothing was written',
        "return now['entry'] === null && isUnchanged(before, now, 'folder');",
        "return now['entry'] === null;",
      ],
    ],
  ),
  ...inFile(
    'src-main/tools/files/write.ts',
    [FILES],
    [
      ['a leftover with two names disproves a write', '!mayBeLinked && ', ''],
      ['a leftover of a second send disproves the first', ' && !wasResent', ''],
    ],
  ),
  ...inFile(
    'src-main/tools/files/move.ts',
    [FILES],
    [
      [
        'a check removes a file that was there before the move',
        "if (isUnchanged(before, now, 'target')) return NOT_THERE;",
        '',
      ],
    ],
  ),
  ...inFile(
    'src-main/tools/files/file-errors.ts',
    [CONTRACT],
    [
      [
        'files are changed although it is too late',
        'if (heldBack) throw new HeldBack(heldBack);',
        '',
      ],
    ],
  ),
  ...inFile(
    'src-main/tools/notify.ts',
    [CONTRACT],
    [
      [
        'a notice is shown although it is too late',
        "if (heldBack) return { type: 'not_sent', ...heldBack };",
        '',
      ],
    ],
  ),
  ...inFile(
    'src-main/tools/mail/smtp-dialogue.ts',
    [MAIL],
    [
      [
        'the envelope does not pass the send gate',
        `        heldBack = call.maySend();
        if (heldBack) return end`,
        `        if (heldBack) return end`,
      ],
      [
        'the content does not pass the send gate',
        `      heldBack = call.maySend();
      return heldBack ?`,
        `      return heldBack ?`,
      ],
      ['a dialogue that is given up is not reset', "['ABORTED', 'ETIMEDOUT']", "['ETIMEDOUT']"],
    ],
  ),
];
