// Durations such as 30s, 5m, 1h and 2d.

const UNITS: { readonly [unit: string]: number } = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A shorter interval would keep the computer busy without benefit. */
export const MIN_INTERVAL_MS = 10_000;
/** One year. */
export const MAX_INTERVAL_MS = 366 * 86_400_000;

export const DURATION = /^(\d{1,9})(s|m|h|d)$/;

/** Milliseconds, or undefined if the text is not a duration within the limits of a schedule. */
export function readDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  const unit = UNITS[match?.[2] ?? ''];
  if (!match || unit === undefined) return undefined;
  const ms = Number(match[1]) * unit;
  return ms >= MIN_INTERVAL_MS && ms <= MAX_INTERVAL_MS ? ms : undefined;
}

/** For text that was validated before. */
export function parseDuration(text: string): number {
  const ms = readDuration(text);
  if (ms === undefined) throw new RangeError(`"${text}" is not a duration.`);
  return ms;
}
