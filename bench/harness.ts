// How every bench measures and reports. Subject and baseline take turns in short slices, so that
// what else the machine does hits both alike, and the median of the rounds is the figure.

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: '1/s' | 'µs';
  readonly baseline: number | null;
  readonly ratio: number | null;
  readonly bar: number;
  /** Whether the ratio must reach the bar, or stay within it. */
  readonly barIs: 'min' | 'max';
  readonly ok: boolean;
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

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Operations per second; the subject must reach `bar` times what the baseline does. */
export function rate(name: string, measured: Measured, bar: number): Figure {
  const ratio = measured.baseline / measured.subject;
  return {
    name,
    value: Math.round(1e6 / measured.subject),
    unit: '1/s',
    baseline: Math.round(1e6 / measured.baseline),
    ratio: rounded(ratio, 3),
    bar,
    barIs: 'min',
    ok: ratio >= bar,
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
  return columns(
    figure.name,
    `${figure.value} ${figure.unit}`,
    figure.baseline === null ? '–' : `${figure.baseline} ${figure.unit}`,
    figure.ratio === null ? '–' : figure.ratio.toFixed(2),
    `${figure.barIs === 'min' ? '≥' : '≤'} ${figure.bar}  ${figure.ok ? 'ok' : 'MISSED'}`,
  );
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
