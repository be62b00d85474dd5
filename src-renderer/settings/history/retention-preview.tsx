// Preview of what would be archived. Debounced.
import { useEffect, useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { exactTime } from '#renderer/format/format-time.ts';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

const TEXT = upkeepText.history;
const DEBOUNCE_MS = 300;

/** Null means forever. Keyed by the number of days. */
export function RetentionPreview({ days }: { readonly days: number | null }) {
  const [isDebounced, setIsDebounced] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsDebounced(true), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Panel title={TEXT.preview}>
      {days === null ? <p className="text-[0.8125rem]">{TEXT.stays}</p> : null}
      {days !== null && isDebounced ? <Preview days={days} /> : null}
      {days !== null && !isDebounced ? <PreviewSkeleton /> : null}
    </Panel>
  );
}

function PreviewSkeleton() {
  return (
    <div role="status" aria-label={TEXT.previewing} className="grid gap-2 py-0.5">
      <span className="skeleton h-3.5 w-72 max-w-full" />
    </div>
  );
}

function Preview({ days }: { readonly days: number }) {
  const { answer, error } = useLiveCall('retention.preview', { days });
  if (answer === null) return error === null ? <PreviewSkeleton /> : <Failure error={error} />;
  return (
    <div className="grid gap-2 text-[0.8125rem]">
      <p>{previewSentence(answer)}</p>
      {answer.waitsFor === null ? null : (
        <Notice tone="wait">{TEXT.waitsFor(answer.waitsFor)}</Notice>
      )}
      {answer.elsewhere === 0 ? null : (
        <p className="text-muted">{TEXT.elsewhere(answer.elsewhere)}</p>
      )}
    </div>
  );
}

function previewSentence({
  cutoff,
  runs,
  events,
  isMore,
}: CallOutput<'retention.preview'>): string {
  const before = exactTime(Math.max(0, cutoff));
  if (runs + events === 0) return TEXT.nothing(before);
  const what = [
    ...(runs > 0 ? [TEXT.runs(runs, isMore)] : []),
    ...(events > 0 ? [TEXT.events(events)] : []),
  ];
  return TEXT.leaves(what, before);
}
