// Relative and exact times, with the exact one in the tooltip.
import { duration, exactTime, relativeTime } from '#renderer/format/format-time.ts';
import { useNow } from '#renderer/format/use-now.ts';
import { text } from '#renderer/text/text.ts';

const RELATIVE_PERIOD_MS = 15_000;
const DURATION_PERIOD_MS = 1_000;

export function RelativeTime({ at }: { readonly at: number }) {
  const now = useNow(RELATIVE_PERIOD_MS);
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)} className="whitespace-nowrap">
      {relativeTime(at, Math.max(now, at))}
    </time>
  );
}

export function ExactTime({ at }: { readonly at: number }) {
  return <time dateTime={new Date(at).toISOString()}>{exactTime(at)}</time>;
}

/** A future time, relative and exact. */
export function UpcomingTime({ at }: { readonly at: number }) {
  const now = useNow(RELATIVE_PERIOD_MS);
  return (
    <time dateTime={new Date(at).toISOString()}>
      {upcomingTime(at, now)}
      <span className="text-muted"> · {exactTime(at)}</span>
    </time>
  );
}

function upcomingTime(at: number, now: number): string {
  if (at <= now) return text.workflows.due;
  const relative = relativeTime(at, now);
  return relative === relativeTime(now, now) ? text.workflows.soon : relative;
}

interface Span {
  readonly from: number;
  /** Null while it is running. */
  readonly to: number | null;
}

export function RunDuration({ from, to }: Span) {
  if (to === null) return <RunningDuration since={from} />;
  return <span className="whitespace-nowrap">{duration(to - from)}</span>;
}

function RunningDuration({ since }: { readonly since: number }) {
  const now = useNow(DURATION_PERIOD_MS);
  // Whole seconds, because tenths that update once a second look broken.
  const seconds = Math.max(0, Math.floor((now - since) / 1000)) * 1000;
  return <span className="whitespace-nowrap">{seconds < 1000 ? '0s' : duration(seconds)}</span>;
}
