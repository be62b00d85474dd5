// Times as people read them, with the exact one on hover and for machines.
import type { RunView } from '#shared/api/contract.ts';
import { duration, exactTime, relativeTime } from '#renderer/format-time.ts';
import { useNow } from '#renderer/now.ts';

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

type Span = Pick<RunView, 'createdAt' | 'endedAt'>;

export function RunDuration({ run }: { readonly run: Span }) {
  if (run.endedAt === null) return <Growing since={run.createdAt} />;
  return <span className="whitespace-nowrap">{duration(run.endedAt - run.createdAt)}</span>;
}

function Growing({ since }: { readonly since: number }) {
  const now = useNow(DURATION_PERIOD_MS);
  // Whole seconds: tenths that stand still for a second look broken.
  const seconds = Math.max(0, Math.floor((now - since) / 1000)) * 1000;
  return <span className="whitespace-nowrap">{seconds < 1000 ? '0s' : duration(seconds)}</span>;
}
