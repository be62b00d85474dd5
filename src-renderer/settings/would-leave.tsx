// Preview of what would be archived. Debounced.
import { useEffect, useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { exactTime } from '#renderer/format-time.ts';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Panel } from '#renderer/ui/facts.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Notice } from '#renderer/ui/notice.tsx';
import { useCall } from '#renderer/use-call.ts';

const WORDS = upkeepText.history;
const REST_MS = 300;

/** Null means forever. Keyed by the number of days. */
export function WouldLeave({ days }: { readonly days: number | null }) {
  const [isResting, setIsResting] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsResting(true), REST_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Panel title={WORDS.preview}>
      {days === null ? <p className="text-[0.8125rem]">{WORDS.stays}</p> : null}
      {days !== null && isResting ? <Preview days={days} /> : null}
      {days !== null && !isResting ? <Looking /> : null}
    </Panel>
  );
}

function Looking() {
  return (
    <div role="status" aria-label={WORDS.previewing} className="grid gap-2 py-0.5">
      <span className="skeleton h-3.5 w-72 max-w-full" />
    </div>
  );
}

function Preview({ days }: { readonly days: number }) {
  const { answer, error } = useCall('retention.preview', { days });
  if (answer === null) return error === null ? <Looking /> : <Failure error={error} />;
  return (
    <div className="grid gap-2 text-[0.8125rem]">
      <p>{inWords(answer)}</p>
      {answer.waitsFor === null ? null : (
        <Notice tone="wait">{WORDS.waitsFor(answer.waitsFor)}</Notice>
      )}
      {answer.elsewhere === 0 ? null : (
        <p className="text-muted">{WORDS.elsewhere(answer.elsewhere)}</p>
      )}
    </div>
  );
}

function inWords({ cutoff, runs, events, isMore }: CallOutput<'retention.preview'>): string {
  const before = exactTime(Math.max(0, cutoff));
  if (runs + events === 0) return WORDS.nothing(before);
  const what = [
    ...(runs > 0 ? [WORDS.runs(runs, isMore)] : []),
    ...(events > 0 ? [WORDS.events(events)] : []),
  ];
  return WORDS.leaves(what, before);
}
