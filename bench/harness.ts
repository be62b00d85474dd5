// Measuring and reporting for every bench. Subject and baseline alternate in short slices, so that
// other load on the machine affects both; a figure is the median of its rounds.

export interface Figure {
  readonly name: string;
  /** Null if it could not be measured; `note` has the reason. */
  readonly value: number | null;
  readonly unit: '1/s' | 'µs' | 'ms' | 'MB' | 'B' | '%' | 'frames';
  readonly baseline: number | null;
  readonly ratio: number | null;
  /** Null for a figure without a budget. */
  readonly bar: number | null;
  /** Whether the bar is the minimum or the maximum of the ratio, or of the value if there is none. */
  readonly barIs: 'min' | 'max';
  readonly ok: boolean;
  readonly note?: string;
}

/** Prepares the rows of one slice, untimed, and returns the work to be timed. */
export type Side = () => () => void;

export interface Comparison {
  readonly subject: Side;
  readonly baseline: Side;
  /** Operations in one slice, in the unit of the figure. */
  readonly operationsPerSlice: number;
  readonly slicesPerRound: number;
}

/** Microseconds for one operation. */
export interface Measured {
  readonly subject: number;
  readonly baseline: number;
}

const ROUNDS = 5;

export function compare(comparison: Comparison): Measured {
  // Warm-up: fills caches and lets the JIT settle. Not counted.
  playRound(comparison);
  const rounds = Array.from({ length: ROUNDS }, () => playRound(comparison));
  return {
    subject: median(rounds.map((round) => round.subject)),
    baseline: median(rounds.map((round) => round.baseline)),
  };
}

function playRound({ subject, baseline, ...sizes }: Comparison): Measured {
  const times: { subject: number[]; baseline: number[] } = { subject: [], baseline: [] };
  for (let slice = 0; slice < sizes.slicesPerRound; slice += 1) {
    // The order alternates, so that a warm cache favours neither side.
    if (slice % 2 === 0) times.subject.push(timed(subject));
    times.baseline.push(timed(baseline));
    if (slice % 2 === 1) times.subject.push(timed(subject));
  }
  // The median ignores slices in which another program had the core.
  return {
    subject: median(times.subject) / sizes.operationsPerSlice,
    baseline: median(times.baseline) / sizes.operationsPerSlice,
  };
}

function timed(side: Side): number {
  const work = side();
  const startedAt = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - startedAt) / 1000;
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length * percent) / 100)] ?? sorted.at(-1) ?? Number.NaN;
}

/** Operations per second; the subject must reach `bar` times what the baseline does. */
export function rate(name: string, measured: Measured, bar: number): Figure {
  return perSecond(name, 1e6 / measured.subject, 1e6 / measured.baseline, bar);
}

/** As `rate`, for values that are already per second. */
export function perSecond(
  name: string,
  subject: number,
  baseline: number,
  bar: number | null,
  ratio = subject / baseline,
): Figure {
  return {
    name,
    value: Math.round(subject),
    unit: '1/s',
    baseline: Math.round(baseline),
    ratio: rounded(ratio, 3),
    bar,
    barIs: 'min',
    ok: bar === null || ratio >= bar,
  };
}

/** Time of one operation; the subject may take at most `bar` times what the baseline takes. */
export function duration(name: string, measured: Measured, bar: number): Figure {
  const ratio = measured.subject / measured.baseline;
  return {
    name,
    value: rounded(measured.subject, 1),
    unit: 'µs',
    baseline: rounded(measured.baseline, 1),
    ratio: rounded(ratio, 3),
    bar,
    barIs: 'max',
    ok: ratio <= bar,
  };
}

/** An absolute value of at most `bar`, without a baseline. */
export function amount(
  name: string,
  value: number,
  unit: Figure['unit'],
  bar: number | null,
): Figure {
  return {
    name,
    value: rounded(value, 2),
    unit,
    baseline: null,
    ratio: null,
    bar,
    barIs: 'max',
    ok: bar === null || value <= bar,
  };
}

/** The median of each figure over rounds of the same measurements, judged again. */
export function medianOf(rounds: readonly (readonly Figure[])[]): Figure[] {
  const [first = []] = rounds;
  return first.map((figure, index) => {
    const all = rounds.flatMap((round) => round[index] ?? []);
    const middle = (pick: (one: Figure) => number | null): number | null => {
      const values = all.map(pick).filter((value) => value !== null);
      return values.length === rounds.length ? median(values) : null;
    };
    const value = middle((one) => one.value);
    const ratio = middle((one) => one.ratio);
    const judgedBy = ratio ?? value;
    const { bar, barIs } = figure;
    const isReached =
      judgedBy !== null && bar !== null && (barIs === 'min' ? judgedBy >= bar : judgedBy <= bar);
    return {
      ...figure,
      value,
      baseline: middle((one) => one.baseline),
      ratio,
      ok: bar === null || isReached,
    };
  });
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** Prints a table, or with --json one line for machines. Exit code 1 when a bar is missed. */
export function report(name: string, figures: readonly Figure[]): void {
  const ok = figures.every((figure) => figure.ok);
  const text = process.argv.includes('--json')
    ? JSON.stringify({ name, ok, figures, totals: totalsOf(figures) })
    : [columns('figure', 'value', 'baseline', 'ratio', 'bar'), ...figures.map(line)].join('\n');
  process.stdout.write(`${text}\n`);
  if (!ok) process.exitCode = 1;
}

function totalsOf(figures: readonly Figure[]): { figures: number; bars: number; missed: number } {
  return {
    figures: figures.length,
    bars: figures.filter(({ bar }) => bar !== null).length,
    missed: figures.filter(({ ok }) => !ok).length,
  };
}

function line(figure: Figure): string {
  const note = figure.note === undefined ? '' : `  (${figure.note})`;
  return columns(
    figure.name,
    withUnit(figure.value, figure),
    withUnit(figure.baseline, figure),
    figure.ratio === null ? '–' : figure.ratio.toFixed(2),
    `${judged(figure)}${note}`,
  );
}

function withUnit(value: number | null, { unit }: Figure): string {
  return value === null ? '–' : `${value} ${unit}`;
}

function judged({ bar, barIs, ok }: Figure): string {
  if (bar === null) return '–';
  return `${barIs === 'min' ? '≥' : '≤'} ${bar}  ${ok ? 'ok' : 'MISSED'}`;
}

function columns(
  name: string,
  value: string,
  baseline: string,
  ratio: string,
  bar: string,
): string {
  return `${name.padEnd(32)}${value.padStart(14)}${baseline.padStart(14)}${ratio.padStart(8)}  ${bar}`;
}
