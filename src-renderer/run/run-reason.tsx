// Why a run is suspended or failed, and how to continue.
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { href } from '#renderer/router.ts';
import { shortId } from '#renderer/short-id.ts';
import { SUSPEND_SENTENCES } from '#renderer/text/status-words.ts';
import { text } from '#renderer/text/text.ts';
import { Link } from '#renderer/ui/link.tsx';
import { Notice } from '#renderer/ui/notice.tsx';

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
  const asks = run.reason === 'approval' && run.effect === 'pending';
  const isForPerson = run.reason === 'approval' || run.effect === 'indeterminate';
  return (
    <Notice tone="wait">
      <p className="font-medium">{asks ? text.run.question : SUSPEND_SENTENCES[run.reason]}</p>
      {/* The effect panel already shows the effect's error. */}
      {run.error === null || run.error === run.mutation?.error ? null : (
        <p className="whitespace-pre-wrap">{run.error}</p>
      )}
      {isForPerson ? (
        <Link to={href.inbox()} className="rounded-sm font-medium underline">
          {asks ? text.run.toAnswer : text.run.toInbox}
        </Link>
      ) : null}
    </Notice>
  );
}
