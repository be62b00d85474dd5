// One cell of the crash matrix: an effect, where the plug is pulled, and how a person answers.

export const EFFECT_KINDS = [
  'http.post',
  'http.post+reconcile',
  'http.put+reconcile',
  'files.write',
  'files.append',
  'files.move',
  'mail.send',
  'ask',
  /** The things come in by webhook, and go through every stage of an input. */
  'webhook>http.post',
] as const;
export type EffectKind = (typeof EFFECT_KINDS)[number];

/**
 * Where a host process dies, at the nth time it comes there: a step of the engine
 * (`in_flight:after`), a commit of the store (`store:after`), a file operation of a tool
 * (`fs.rename:before`), or a moment of the outside (`outside:acted`).
 */
export interface KillPoint {
  readonly point: string;
  readonly nth: number;
}

/** What the outside does to the nth request, the host living on. */
export interface Fault {
  /** `drop`: it acts and the answer is lost. `refuse`: it answers 500 and does not act. */
  readonly mode: 'drop' | 'refuse';
  readonly nth: number;
}

/** True to what the outside counted; where it did not happen, "send again"; or "skip" always. */
export type AnswerRule = 'truth' | 'retry' | 'skip';

export interface Cell {
  readonly effect: EffectKind;
  /** One for each host process that dies; the one after them finishes. */
  readonly kills: readonly KillPoint[];
  readonly fault?: Fault;
  readonly answer: AnswerRule;
  /** The outside cannot be asked: reconcile never learns anything. */
  readonly isMute?: boolean;
}

/** Each cell has two things to do outside, so that a first and a second time exist. */
export const THINGS = [1, 2] as const;

export function nameOf(cell: Cell): string {
  const kills = cell.kills.map(({ point, nth }) => `${point}#${nth}`).join(' then ');
  const extras = [
    cell.fault ? `${cell.fault.mode}#${cell.fault.nth}` : '',
    cell.isMute ? 'mute' : '',
    cell.answer === 'truth' ? '' : `person: ${cell.answer}`,
  ].filter((extra) => extra !== '');
  return [cell.effect, kills || 'no kill', ...extras].join(' | ');
}

/** What one host process is told to do, as its only argument. */
export interface HostJob {
  readonly dataDir: string;
  readonly workflowFile: string;
  /** Names the cell to the outside. */
  readonly cellId: string;
  readonly outsideUrl: string;
  readonly effect: EffectKind;
  /** Where the file tools work. */
  readonly folder: string;
  readonly kill: KillPoint | null;
  readonly fault: Fault | null;
  readonly answer: AnswerRule;
  readonly isMute: boolean;
  /** Time may be skipped while nothing happens: only in a process that lives to the end. */
  readonly mayJump: boolean;
}

/** Where a host process came by. */
export interface Passed {
  /** How often each point was passed. */
  readonly passed: { readonly [point: string]: number };
  /** Commits that had been made when a point was passed for the nth time. */
  readonly commitsAt: { readonly [pointAndNth: string]: number };
}

/** Where both came by, and as often as both did. */
export function whereBothCame(one: Passed, other: Passed): Passed {
  const both = (a: Passed['passed'], b: Passed['passed']): Passed['passed'] =>
    Object.fromEntries(
      Object.entries(a).flatMap(([point, times]) => {
        const others = b[point];
        return others === undefined ? [] : [[point, Math.min(times, others)]];
      }),
    );
  return {
    passed: both(one.passed, other.passed),
    commitsAt: both(one.commitsAt, other.commitsAt),
  };
}

/** What a host process says when it came to its end by itself. */
export interface HostReport extends Passed {
  /** Null: all is done. Otherwise what it was still waiting for. */
  readonly stuck: string | null;
}
