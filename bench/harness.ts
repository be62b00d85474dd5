// How every bench measures and reports. Subject and baseline take turns in short slices, so that
// what else the machine does hits both alike, and the median of the rounds is the figure.

export interface Figure {
  readonly name: string;
  /** Null: it could not be measured; `note` says why. */
  readonly value: number | null;
  readonly unit: '1/s' | 'µs' | 'ms' | 'MB' | 'B' | '%' | 'frames';
  readonly baseline: number | null;
  readonly ratio: number | null;
  /** Null: told for whoever looks, no budget speaks of it. */
  readonly bar: number | null;
  /** Whether the ratio (the value, where there is none) must reach the bar, or stay within it. */
  readonly barIs: 'min' | 'max';
  readonly ok: boolean;
  readonly note?: string;
}

/** Makes the fresh rows that one slice needs, untimed, and returns the work to be timed. */
export type Side = () => () => void;

export interface Comparison {
  readonly subject: Side;
  readonly baseline: Side;
  /** What one slice does, counted in the things that the figure counts. */
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
  // The first round fills caches and lets the compiler settle; nobody looks at its times.
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
    // Who goes first alternates: what one leaves behind in the caches must not favour the other.
    if (slice % 2 === 0) times.subject.push(timed(subject));
    times.baseline.push(timed(baseline));
    if (slice % 2 === 1) times.subject.push(timed(subject));
  }
  // Not the mean: a slice in which another program had the core says nothing of either side.
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

/** As `rate`, of what was counted per second. */
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

/** An amount that must stay within `bar`, whatever anything else does. */
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

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** Prints the figures as the person asked for them, and says by the exit code whether all hold. */
export function report(name: string, figures: readonly Figure[]): void {
  const ok = figures.every((figure) => figure.ok);
  const text = process.argv.includes('--json')
    ? JSON.stringify({ name, ok, figures })
    : [columns('figure', 'value', 'baseline', 'ratio', 'bar'), ...figures.map(line)].join('\n');
  process.stdout.write(`${text}\n`);
  if (!ok) process.exitCode = 1;
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
