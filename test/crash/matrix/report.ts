// The output of the crash matrix: a table for people and a last line of JSON for machines.
import { nameOf, type Cell } from '#test/crash/matrix/cell.ts';
import type { KillsResult } from '#test/crash/matrix/random-kills.ts';
import type { Verdict } from '#test/crash/matrix/run-cell.ts';

export interface CellResult {
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

export function row({ cell, verdict }: CellResult): string {
  const wrong = KINDS.filter((kind) => verdict[kind].length > 0);
  const details = wrong.map((kind) => `\n    ${kind}: ${verdict[kind].join('; ')}`).join('');
  const state = wrong.length === 0 ? 'ok    ' : 'FAILED';
  return `${state} ${String(verdict.ms).padStart(6)} ms  ${nameOf(cell)}${details}`;
}

export function matrixReport(results: readonly CellResult[]): Report {
  const byEffect = Map.groupBy(results, ({ cell }) => groupOf(cell));
  const line = (name: string, totals: Totals): string =>
    [name.padEnd(24), ...Object.values(totals).map((n: number) => String(n).padStart(11))].join('');
  const heads = Object.keys(totalsOf([])).map((head) => head.padStart(11));
  print(`\n${['effect'.padEnd(24), ...heads].join('')}`);
  for (const [effect, cells] of byEffect) print(line(effect, totalsOf(cells)));
  const totals = totalsOf(results);
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

function groupOf({ effect, cut, diskFault }: Cell): string {
  if (cut) return `${effect}, cut`;
  return diskFault ? diskFault.kind : effect;
}

/** Counts cells, not problems: one fault often causes several. */
function totalsOf(results: readonly CellResult[]): Totals {
  const count = (kind: (typeof KINDS)[number]): number =>
    results.filter(({ verdict }) => verdict[kind].length > 0).length;
  return {
    cells: results.length,
    duplicates: count('duplicates'),
    lost: count('lost'),
    stuck: count('stuck'),
    unsound: count('unsound'),
  };
}

function isClean(totals: Totals): boolean {
  return KINDS.every((kind) => totals[kind] === 0);
}
