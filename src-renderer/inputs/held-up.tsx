// Explains why a running input makes no progress: its workflow is paused or blocked.
import type { InputDetail } from '#shared/api/inputs.ts';
import { href } from '#renderer/router.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Link } from '#renderer/ui/link.tsx';
import { Notice } from '#renderer/ui/notice.tsx';
import { useCall } from '#renderer/use-call.ts';

const WORDS = inputsText.heldUp;

export function HeldUp({ input: { workflowId } }: { readonly input: InputDetail }) {
  const { answer } = useCall('workflows.get', { workflowId }, ['workflows'], ['handler_runs']);
  if (answer === null) return null;
  const isPaused = answer.status === 'paused';
  if (!isPaused && answer.openQuestions === 0) return null;
  return (
    <Notice tone="wait">
      <p>{isPaused ? WORDS.paused(answer.name) : WORDS.waits(answer.name)}</p>
      <Link
        to={isPaused ? href.workflow(workflowId) : href.inbox()}
        className="rounded-sm font-medium underline"
      >
        {isPaused ? WORDS.toWorkflow : inputsText.one.toInbox}
      </Link>
    </Notice>
  );
}
