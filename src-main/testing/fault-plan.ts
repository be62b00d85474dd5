// Faults as phrases: "lose the answer of the second http.post". The phrases are template literal
// types, so editors complete them and the compiler rejects invalid ones.
import type { MutationTools, ReadTools } from '#shared/authoring/workflow.ts';

type Methods<Tools> = {
  [Tool in keyof Tools & string]: `${Tool}.${keyof Tools[Tool] & string}`;
}[keyof Tools & string];

/** `http.post`, `files.write`, … `ask.question` makes no call, so it cannot fail. */
export type EffectName = Exclude<Methods<MutationTools>, 'ask.question'>;
/** `http.get`, `files.list`, … */
export type ReadName = Methods<ReadTools>;

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'] as const;
type Which = `the ${(typeof ORDINALS)[number]}` | 'every';
/** `effect` means any effect. */
type Effect = EffectName | 'effect';

export type Fault =
  /** The effect happens, but the reply is lost. */
  | `lose the answer of ${Which} ${Effect}`
  /** The connection fails before anything is sent. */
  | `cut the line before ${Which} ${Effect}`
  /** The outside refuses the effect. */
  | `refuse ${Which} ${Effect}`
  /** The host crashes after the ledger write, before anything is sent. */
  | `crash before ${Which} ${Effect}`
  /** The effect happens, and the host crashes before it stores the outcome. */
  | `crash after ${Which} ${Effect}`
  /** A read gets no reply. */
  | `fail ${Which} ${ReadName}`;

export type FaultKind =
  | 'lose the answer of'
  | 'cut the line before'
  | 'refuse'
  | 'crash before'
  | 'crash after'
  | 'fail';

const PHRASE =
  /^(lose the answer of|cut the line before|refuse|crash before|crash after|fail) (?:the (\w+)|(every)) ([\w.]+)$/;

interface PlannedFault {
  readonly phrase: string;
  readonly kind: FaultKind;
  /** Null means every call. */
  readonly nth: number | null;
  readonly callee: string;
  calls: number;
  hasFired: boolean;
}

/** Counts calls and decides which of them fail. */
export class FaultPlan {
  readonly #faults: readonly PlannedFault[];

  constructor(faults: readonly string[]) {
    this.#faults = faults.map(parseFault);
  }

  /** Counts this call. Returns undefined if it succeeds. */
  next(callee: string, isEffect: boolean): FaultKind | undefined {
    let kind: FaultKind | undefined;
    for (const fault of this.#faults) {
      if (fault.callee !== callee && !(isEffect && fault.callee === 'effect')) continue;
      fault.calls += 1;
      if (fault.nth !== null && fault.nth !== fault.calls) continue;
      fault.hasFired = true;
      kind ??= fault.kind;
    }
    return kind;
  }

  /** Faults that never fired, with the number of calls made. */
  missed(): string[] {
    return this.#faults
      .filter(({ hasFired }) => !hasFired)
      .map(({ phrase, callee, calls }) => `"${phrase}": calls of ${callee}: ${calls}`);
  }
}

function parseFault(phrase: string): PlannedFault {
  const match = PHRASE.exec(phrase);
  const [, kind = '', ordinal, every, callee = ''] = match ?? [];
  const nth = ORDINALS.indexOf(ordinal as (typeof ORDINALS)[number]) + 1;
  if (!match || (every === undefined && nth === 0)) {
    throw new TypeError(
      `"${phrase}" is not a valid fault. Write, for example: "lose the answer of the second http.post", "cut the line before every mail.send", "crash after the first effect".`,
    );
  }
  return {
    phrase,
    kind: kind as FaultKind,
    nth: every === undefined ? nth : null,
    callee,
    calls: 0,
    hasFired: false,
  };
}
