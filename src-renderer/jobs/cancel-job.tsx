import type { RunnerJobView } from '#shared/api/runner.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

interface Props {
  readonly job: RunnerJobView;
  readonly onCanceled: () => void;
}

/** Shows "Canceling" until the job has ended. */
export function CancelJob({ job, onCanceled }: Props) {
  const { client } = useApp();
  const cancel = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('jobs.cancel', { jobId: job.id }),
    onDone: onCanceled,
  });
  if (job.finishedAt !== null) return null;
  const isCanceling = cancel.isPending || job.status === 'cancel_requested';
  return (
    <>
      <Failure error={cancel.error} />
      <Button isPending={isCanceling} onPress={cancel.perform}>
        {isCanceling ? text.job.canceling : text.job.cancel}
      </Button>
    </>
  );
}
