// One cell of the crash matrix: a kind of effect, where hosts are killed, and how a person settles.

import type { DiskFaultKind } from '#test/crash/power/disk-faults.ts';
import type { Survival } from '#test/crash/power/disk-image.ts';

export const EFFECT_KINDS = [
  'http.post',
  'http.post+reconcile',
  'http.put+reconcile',
  'files.write',
  'files.append',
  'files.move',
  'mail.send',
  'ask',
  /** The orders arrive by webhook and pass every stage of an input. */
  'webhook>http.post',
] as const;
export type EffectKind = (typeof EFFECT_KINDS)[number];

/**
 * Where a host process is killed, the nth time it gets there: a step of the engine (`in_flight:after`),
 * a commit of the store (`store:after`), a file operation of a tool (`fs.rename:before`), or a moment
 * of a request to the outside service (`outside:acted`).
 */
export interface KillPoint {
  readonly point: string;
  readonly nth: number;
}

/** A fault of the outside service at the nth request; the host is not killed. */
export interface Fault {
  /** `drop`: acts, and the answer is lost. `refuse`: answers 500 and does not act. */
  readonly mode: 'drop' | 'refuse';
  readonly nth: number;
}

/**
 * How a person settles an unknown outcome. `truth`: as the outside service counted. `retry`: sends
 * again what did not happen. `skip`: always skips.
 */
export type AnswerRule = 'truth' | 'retry' | 'skip';

export interface Cell {
  readonly effect: EffectKind;
  /** One for each host process that is killed; one more process finishes the work. */
  readonly kills: readonly KillPoint[];
  readonly fault?: Fault;
  readonly answer: AnswerRule;
  /** The outside service cannot be queried, so a check never learns anything. */
  readonly isMute?: boolean;
  readonly cut?: PowerCut;
  readonly diskFault?: DiskFault;
}

/** From this point on, the next writes or fsyncs of the database fail; then the disk works again. */
export interface DiskFault extends KillPoint {
  readonly kind: DiskFaultKind;
}

/** The power is cut when the host has reached this point; the last host process starts after that. */
export interface PowerCut extends KillPoint {
  readonly survival: Survival;
  /** SQLite checkpoints after each commit, instead of at a thousand pages. */
  readonly hasCheckpoints: boolean;
}

/** The sender of a webhook has its answer. */
export const INPUT_ANSWERED = 'sender:answered';

/** Each cell makes two effects, so that every point is passed a first and a second time. */
export const ORDERS = [1, 2] as const;

export function nameOf(cell: Cell): string {
  const kills = cell.kills.map(({ point, nth }) => `${point}#${nth}`).join(' then ');
  const { cut, diskFault } = cell;
  const extras = [
    diskFault ? `${diskFault.kind} at ${diskFault.point}#${diskFault.nth}` : '',
    cut ? `power cut at ${cut.point}#${cut.nth}, ${cut.survival} unsynced is left` : '',
    cut?.hasCheckpoints ? 'checkpoints' : '',
    cell.fault ? `${cell.fault.mode}#${cell.fault.nth}` : '',
    cell.isMute ? 'mute' : '',
    cell.answer === 'truth' ? '' : `person: ${cell.answer}`,
  ].filter((extra) => extra !== '');
  return [cell.effect, kills || 'no kill', ...extras].join(' | ');
}

/** The only argument of a host process. */
export interface HostJob {
  readonly dataDir: string;
  readonly workflowFile: string;
  /** Identifies the cell to the outside service. */
  readonly cellId: string;
  readonly outsideUrl: string;
  readonly effect: EffectKind;
  /** The working folder of the file tools. */
  readonly folder: string;
  readonly kill: KillPoint | null;
  readonly fault: Fault | null;
  readonly answer: AnswerRule;
  readonly isMute: boolean;
  /** Whether idle time may be skipped: only in the process that finishes the work. */
  readonly mayJump: boolean;
  /** Marks each point in this log of the disk. */
  readonly diskLog?: string;
  readonly hasCheckpoints?: boolean;
  readonly diskFault?: DiskFault & { readonly control: string };
}

/** The points that a host process passed. */
export interface PassedPoints {
  /** How often each point was passed. */
  readonly passed: { readonly [point: string]: number };
  /** Number of commits when a point was passed for the nth time. */
  readonly commitsAt: { readonly [pointAndNth: string]: number };
}

/** The points that both processes passed, as often as both did. */
export function commonPoints(one: PassedPoints, other: PassedPoints): PassedPoints {
  const both = (a: PassedPoints['passed'], b: PassedPoints['passed']): PassedPoints['passed'] =>
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

/** Printed by a host process that was not killed. */
export interface HostReport extends PassedPoints {
  /** Null if all work is done, otherwise what is still open. */
  readonly stuck: string | null;
}
