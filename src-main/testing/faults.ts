// Faults in words: "lose the answer of the second http.post". The words are types, so an editor
// offers them and the compiler refuses what cannot be meant.
import type { MutationTools, ReadTools } from '#shared/authoring/workflow.ts';

type Methods<Tools> = {
  [Tool in keyof Tools & string]: `${Tool}.${keyof Tools[Tool] & string}`;
}[keyof Tools & string];

/** `http.post`, `files.write`, … A question to a person calls nobody, so nothing can go wrong. */
export type EffectName = Exclude<Methods<MutationTools>, 'ask.question'>;
/** `http.get`, `files.list`, … */
export type ReadName = Methods<ReadTools>;

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'] as const;
type Which = `the ${(typeof ORDINALS)[number]}` | 'every';
/** `effect`: whichever it is. */
type Effect = EffectName | 'effect';

export type Fault =
  /** It happens, and nobody learns of it. */
  | `lose the answer of ${Which} ${Effect}`
  /** It never leaves: there is no connection. */
  | `cut the line before ${Which} ${Effect}`
  /** The outside says no. */
  | `refuse ${Which} ${Effect}`
  /** The machine dies after the ledger has it, before anything leaves. */
  | `crash before ${Which} ${Effect}`
  /** It happens, and the machine dies before anyone has written that down. */
  | `crash after ${Which} ${Effect}`
  /** A read that gets no answer. */
  | `fail ${Which} ${ReadName}`;

export type FaultKind =
  | 'lose the answer of'
  | 'cut the line before'
  | 'refuse'
  | 'crash before'
  | 'crash after'
  | 'fail';

const WORDS =
  /^(lose the answer of|cut the line before|refuse|crash before|crash after|fail) (?:the (\w+)|(every)) ([\w.]+)$/;

interface Armed {
  readonly words: string;
  readonly kind: FaultKind;
  /** Null: every time. */
  readonly nth: number | null;
  readonly callee: string;
  seen: number;
  came: boolean;
}

/** Counts calls and says which of them goes wrong. */
export class FaultPlan {
  readonly #armed: readonly Armed[];

  constructor(faults: readonly string[]) {
    this.#armed = faults.map(readFault);
  }

  /** Counts this call; undefined: it goes well. */
  next(callee: string, isEffect: boolean): FaultKind | undefined {
    let kind: FaultKind | undefined;
    for (const armed of this.#armed) {
      if (armed.callee !== callee && !(isEffect && armed.callee === 'effect')) continue;
      armed.seen += 1;
      if (armed.nth !== null && armed.nth !== armed.seen) continue;
      armed.came = true;
      kind ??= armed.kind;
    }
    return kind;
  }

  /** Those that never came, in their words, with how often the call was made. */
  missed(): string[] {
    return this.#armed
      .filter(({ came }) => !came)
      .map(({ words, callee, seen }) => `"${words}": there were ${seen} calls of ${callee}`);
  }
}

function readFault(words: string): Armed {
  const match = WORDS.exec(words);
  const [, kind = '', ordinal, every, callee = ''] = match ?? [];
  const nth = ORDINALS.indexOf(ordinal as (typeof ORDINALS)[number]) + 1;
  if (!match || (every === undefined && nth === 0)) {
    throw new TypeError(
      `"${words}" is no fault. Say, for example: "lose the answer of the second http.post", "cut the line before every mail.send", "crash after the first effect".`,
    );
  }
  return {
    words,
    kind: kind as FaultKind,
    nth: every === undefined ? nth : null,
    callee,
    seen: 0,
    came: false,
  };
}
