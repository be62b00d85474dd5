// Cancels a run before its effect.
import { useState } from 'react';
import type { HandlerRunView } from '#shared/api/handler-runs.ts';
import { useApp } from '#renderer/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { useAct } from '#renderer/use-act.ts';

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
  const [canceling, setCanceling] = useState(false);
  const cancel = useAct({
    idFor: 'click',
    act: () => client.call('handlerRuns.cancel', { handlerRunId: run.id }),
    onDone: () => {
      setCanceling(true);
      onCanceled();
    },
  });
  return (
    <>
      <Failure error={cancel.error} />
      <Button isPending={cancel.pending || canceling} onPress={cancel.perform}>
        {cancel.pending || canceling ? text.run.canceling : text.run.cancel}
      </Button>
    </>
  );
}
