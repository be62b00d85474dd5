// Cancels a run before its effect, after saying what happens to its events.
import { useState } from 'react';
import type { HandlerRunDetail, HandlerRunView } from '#shared/api/handler-runs.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Confirm } from '#renderer/ui/feedback/confirm.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

export function isBeforeEffect(run: HandlerRunView): boolean {
  if (run.phase === 'suspended') return run.reason === 'approval' && run.resumePhase !== 'emitting';
  return run.phase === 'pending' || run.phase === 'preparing' || run.phase === 'prepared';
}

interface Props {
  readonly run: HandlerRunDetail;
  readonly onCanceled: () => void;
}

export function CancelRun({ run, onCanceled }: Props) {
  const { client } = useApp();
  const [isOpen, setOpen] = useState(false);
  const [isCanceling, setIsCanceling] = useState(false);
  const close = (): void => setOpen(false);
  const cancel = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('handlerRuns.cancel', { handlerRunId: run.id }),
    onDone: () => {
      setIsCanceling(true);
      close();
      onCanceled();
    },
  });
  return (
    <>
      <Button isPending={isCanceling} onPress={() => setOpen(true)}>
        {isCanceling ? text.run.canceling : text.run.cancel}
      </Button>
      <Sheet title={text.run.cancelTitle} isOpen={isOpen} onClose={close}>
        <Confirm
          warning={text.run.cancelWarning(run.eventsIn.length)}
          submitLabel={text.run.cancelSubmit}
          action={cancel}
          onCancel={close}
        />
      </Sheet>
    </>
  );
}
