// Why an input isn't succeeding, and how to continue.
import type { InputDetail } from '#shared/api/inputs.ts';
import { isUnfinished } from '#shared/machines/automation-run.ts';
import { href } from '#renderer/router.ts';
import { HeldUp } from '#renderer/inputs/held-up.tsx';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Link } from '#renderer/ui/link.tsx';
import { Notice } from '#renderer/ui/notice.tsx';

const WORDS = inputsText.one;

export function InputReason({ input }: { readonly input: InputDetail }) {
  const { run } = input;
  return (
    <>
      {run.stopping === null ? null : (
        <Notice tone="wait">
          <p>{WORDS.stopping(run.stopping.as, run.stopping.reason)}</p>
        </Notice>
      )}
      {isUnfinished(run.status) && run.status !== 'needs_human' ? <HeldUp input={input} /> : null}
      <Ended input={input} />
      {run.settled === null ? null : (
        <Notice tone="plain">
          <p className="whitespace-pre-wrap">{WORDS.settled(run.settled)}</p>
        </Notice>
      )}
    </>
  );
}

function Ended({ input: { run } }: { readonly input: InputDetail }) {
  const reason = run.statusReason ?? '';
  if (run.status === 'needs_human') {
    return (
      <Notice tone="wait">
        <p className="font-medium">{WORDS.needsYou}</p>
        {reason === '' ? null : <p className="whitespace-pre-wrap">{reason}</p>}
        <Link to={href.inbox()} className="rounded-sm font-medium underline">
          {WORDS.toInbox}
        </Link>
      </Notice>
    );
  }
  // A settled input shows the person's decision instead.
  if (run.settled !== null) return null;
  if (run.status === 'failed' || run.status === 'timed_out') {
    const told = run.status === 'failed' ? WORDS.failedIn : WORDS.timedOutIn;
    return (
      <Notice tone="bad">
        <p className="whitespace-pre-wrap">{told(run.failureStage ?? 'execute', reason)}</p>
      </Notice>
    );
  }
  const isLeft = run.status === 'skipped' || run.status === 'canceled';
  if (!isLeft || reason === '') return null;
  return (
    <Notice tone="plain">
      <p className="whitespace-pre-wrap">{WORDS.ended(reason)}</p>
    </Notice>
  );
}
