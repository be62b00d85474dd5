// Why a run is suspended or failed, and how to continue.
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { href } from '#renderer/navigation/router.ts';
import { shortId } from '#renderer/format/short-id.ts';
import { SUSPEND_SENTENCES } from '#renderer/text/status-labels.ts';
import { text } from '#renderer/text/text.ts';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';

export function RunReason({ run }: { readonly run: HandlerRunDetail }) {
  if (run.phase === 'failed') {
    return (
      <Notice tone="bad">
        <p className="whitespace-pre-wrap">{run.error ?? ''}</p>
        {run.retriedBy === null ? null : (
          <Link to={href.run(run.retriedBy)} className="rounded-sm font-medium underline">
            {text.run.retriedBy} {text.run.runOf(shortId(run.retriedBy))}
          </Link>
        )}
      </Notice>
    );
  }
  if (run.phase !== 'suspended' || run.reason === null) return null;
  const isQuestion = run.reason === 'approval' && run.effect === 'pending';
  const isForPerson = run.reason === 'approval' || run.effect === 'indeterminate';
  return (
    <Notice tone="wait">
      <p className="font-medium">
        {isQuestion ? text.run.question : SUSPEND_SENTENCES[run.reason]}
      </p>
      {/* The effect panel already shows the effect's error. */}
      {run.error === null || run.error === run.mutation?.error ? null : (
        <p className="whitespace-pre-wrap">{run.error}</p>
      )}
      {isForPerson ? (
        <Link to={href.inbox()} className="rounded-sm font-medium underline">
          {isQuestion ? text.run.toAnswer : text.run.toInbox}
        </Link>
      ) : null}
    </Notice>
  );
}
