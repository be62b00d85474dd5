// Why an input isn't succeeding, and how to continue.
import type { InputDetail } from '#shared/api/inputs.ts';
import { isUnfinished } from '#shared/machines/automation-run.ts';
import { href } from '#renderer/navigation/router.ts';
import { BlockedNotice } from '#renderer/inputs/blocked-notice.tsx';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';

const TEXT = inputsText.one;

export function InputReason({ input }: { readonly input: InputDetail }) {
  const { run } = input;
  return (
    <>
      {run.stopping === null ? null : (
        <Notice tone="wait">
          <p>{TEXT.stopping(run.stopping.as, run.stopping.reason)}</p>
        </Notice>
      )}
      {isUnfinished(run.status) && run.status !== 'needs_human' ? (
        <BlockedNotice input={input} />
      ) : null}
      <EndReason input={input} />
      {run.settled === null ? null : (
        <Notice tone="plain">
          <p className="whitespace-pre-wrap">{TEXT.settled(run.settled)}</p>
        </Notice>
      )}
    </>
  );
}

function EndReason({ input: { run } }: { readonly input: InputDetail }) {
  const reason = run.statusReason ?? '';
  if (run.status === 'needs_human') {
    return (
      <Notice tone="wait">
        <p className="font-medium">{TEXT.needsYou}</p>
        {reason === '' ? null : <p className="whitespace-pre-wrap">{reason}</p>}
        <Link to={href.inbox()} className="rounded-sm font-medium underline">
          {TEXT.toInbox}
        </Link>
      </Notice>
    );
  }
  // A settled input shows the person's decision instead.
  if (run.settled !== null) return null;
  if (run.status === 'failed' || run.status === 'timed_out') {
    const describe = run.status === 'failed' ? TEXT.failedIn : TEXT.timedOutIn;
    return (
      <Notice tone="bad">
        <p className="whitespace-pre-wrap">{describe(run.failureStage ?? 'execute', reason)}</p>
      </Notice>
    );
  }
  if (isUnfinished(run.status) || reason === '') return null;
  return (
    <Notice tone="plain">
      <p className="whitespace-pre-wrap">
        {run.status === 'succeeded' ? reason : TEXT.ended(reason)}
      </p>
    </Notice>
  );
}
