// What the crash matrix prints, for people and, as its last line, for machines.
import { nameOf, type Cell } from '#test/crash/matrix/cell.ts';
import type { KillsResult } from '#test/crash/matrix/random-kills.ts';
import type { Verdict } from '#test/crash/matrix/run-cell.ts';

export interface Lived {
  readonly cell: Cell;
  readonly verdict: Verdict;
}

interface Totals {
  readonly cells: number;
  readonly duplicates: number;
  readonly lost: number;
  readonly stuck: number;
  readonly unsound: number;
}

export interface Report {
  readonly name: string;
  readonly ok: boolean;
  readonly figures: readonly unknown[];
  readonly totals: Totals;
}

const KINDS = ['duplicates', 'lost', 'stuck', 'unsound'] as const;

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function row({ cell, verdict }: Lived): string {
  const wrong = KINDS.filter((kind) => verdict[kind].length > 0);
  const says = wrong.map((kind) => `\n    ${kind}: ${verdict[kind].join('; ')}`).join('');
  const state = wrong.length === 0 ? 'ok    ' : 'FAILED';
  return `${state} ${String(verdict.ms).padStart(6)} ms  ${nameOf(cell)}${says}`;
}

export function matrixReport(lived: readonly Lived[]): Report {
  const byEffect = Map.groupBy(lived, ({ cell }) => cell.effect);
  const line = (name: string, totals: Totals): string =>
    [name.padEnd(22), ...Object.values(totals).map((n: number) => String(n).padStart(11))].join('');
  const heads = Object.keys(totalsOf([])).map((head) => head.padStart(11));
  print(`\n${['effect'.padEnd(22), ...heads].join('')}`);
  for (const [effect, cells] of byEffect) print(line(effect, totalsOf(cells)));
  const totals = totalsOf(lived);
  print(line('all', totals));
  return { name: 'crash-matrix', ok: isClean(totals) && totals.cells > 0, figures: [], totals };
}

export function killsReport({ kills, runs, totals }: KillsResult): Report {
  const figures = [
    figure('kills', kills.made, kills.asked),
    figure('effects', runs.effects, runs.asked),
  ];
  print(
    `${kills.made} kills, ${runs.effects} effects of ${runs.asked} runs: ${JSON.stringify(totals)}`,
  );
  const ok = isClean(totals) && figures.every((one) => one.ok);
  return { name: 'random-kills', ok, figures, totals };
}

function figure(name: string, value: number, bar: number): { name: string; ok: boolean } {
  const rest = { value, unit: '', baseline: null, ratio: null, bar };
  return Object.assign({ name, ok: value === bar }, rest);
}

/** Counts cells, not their complaints: one fault often shows in several ways. */
function totalsOf(lived: readonly Lived[]): Totals {
  const count = (kind: (typeof KINDS)[number]): number =>
    lived.filter(({ verdict }) => verdict[kind].length > 0).length;
  return {
    cells: lived.length,
    duplicates: count('duplicates'),
    lost: count('lost'),
    stuck: count('stuck'),
    unsound: count('unsound'),
  };
}

function isClean(totals: Totals): boolean {
  return KINDS.every((kind) => totals[kind] === 0);
}
