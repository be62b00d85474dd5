import type { RunnerJobView } from '#shared/api/runner.ts';
import { useApp } from '#renderer/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { useAct } from '#renderer/use-act.ts';

interface Props {
  readonly job: RunnerJobView;
  readonly onCanceled: () => void;
}

/** Shows "Canceling" until the job has ended. */
export function CancelJob({ job, onCanceled }: Props) {
  const { client } = useApp();
  const cancel = useAct({
    idFor: 'click',
    act: () => client.call('jobs.cancel', { jobId: job.id }),
    onDone: onCanceled,
  });
  if (job.finishedAt !== null) return null;
  const canceling = cancel.pending || job.status === 'cancel_requested';
  return (
    <>
      <Failure error={cancel.error} />
      <Button isPending={canceling} onPress={cancel.perform}>
        {canceling ? text.job.canceling : text.job.cancel}
      </Button>
    </>
  );
}
