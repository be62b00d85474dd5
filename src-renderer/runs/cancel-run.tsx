// Cancels a run before its effect.
import { useState } from 'react';
import type { HandlerRunView } from '#shared/api/handler-runs.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

export function isBeforeEffect(run: HandlerRunView): boolean {
  if (run.phase === 'suspended') return run.reason === 'approval' && run.resumePhase !== 'emitting';
  return run.phase === 'pending' || run.phase === 'preparing' || run.phase === 'prepared';
}

interface Props {
  readonly run: HandlerRunView;
  readonly onCanceled: () => void;
}

export function CancelRun({ run, onCanceled }: Props) {
  const { client } = useApp();
  const [isCanceling, setIsCanceling] = useState(false);
  const cancel = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('handlerRuns.cancel', { handlerRunId: run.id }),
    onDone: () => {
      setIsCanceling(true);
      onCanceled();
    },
  });
  return (
    <>
      <Failure error={cancel.error} />
      <Button isPending={cancel.isPending || isCanceling} onPress={cancel.perform}>
        {cancel.isPending || isCanceling ? text.run.canceling : text.run.cancel}
      </Button>
    </>
  );
}
