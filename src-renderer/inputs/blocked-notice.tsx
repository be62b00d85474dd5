// Explains why a running input makes no progress: its workflow is paused or blocked.
import type { InputDetail } from '#shared/api/inputs.ts';
import { href } from '#renderer/navigation/router.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

const TEXT = inputsText.blocked;

export function BlockedNotice({ input: { workflowId } }: { readonly input: InputDetail }) {
  const { answer } = useLiveCall(
    'workflows.get',
    { workflowId },
    { workflows: 'any', handler_runs: 'slow' },
  );
  if (answer === null) return null;
  const isPaused = answer.status === 'paused';
  if (!isPaused && answer.openQuestions === 0) return null;
  return (
    <Notice tone="wait">
      <p>{isPaused ? TEXT.paused(answer.name) : TEXT.waits(answer.name)}</p>
      <Link
        to={isPaused ? href.workflow(workflowId) : href.inbox()}
        className="rounded-sm font-medium underline"
      >
        {isPaused ? TEXT.toWorkflow : inputsText.one.toInbox}
      </Link>
    </Notice>
  );
}
