// Durations as people write them: 30s, 5m, 1h, 2d.

const UNITS: { readonly [unit: string]: number } = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Shorter than this, a schedule would only keep the machine awake. */
export const MIN_INTERVAL_MS = 10_000;
/** A year: timers and calendars agree on no more. */
export const MAX_INTERVAL_MS = 366 * 86_400_000;

/** Milliseconds; undefined where the text is no duration within the bounds of a schedule. */
export function readDuration(text: string): number | undefined {
  const match = /^(\d{1,9})(s|m|h|d)$/.exec(text);
  const unit = UNITS[match?.[2] ?? ''];
  if (!match || unit === undefined) return undefined;
  const ms = Number(match[1]) * unit;
  return ms >= MIN_INTERVAL_MS && ms <= MAX_INTERVAL_MS ? ms : undefined;
}

/** For a text that was checked already. */
export function parseDuration(text: string): number {
  const ms = readDuration(text);
  if (ms === undefined) throw new RangeError(`"${text}" is not a duration.`);
  return ms;
}
