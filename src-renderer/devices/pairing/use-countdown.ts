// A countdown in minutes and seconds.
import { useNow } from '#renderer/format/use-now.ts';

const TICK_MS = 1000;

/** Null once the time is up. */
export function useCountdown(until: number): string | null {
  const now = useNow(TICK_MS);
  return until <= now ? null : minutesAndSeconds(until - now);
}

export function minutesAndSeconds(ms: number): string {
  const seconds = Math.ceil(ms / TICK_MS);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
