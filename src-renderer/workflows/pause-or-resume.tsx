// Pausing at once, or with a word why; resuming.
import { Pause, Play } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { flowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { FormButtons } from '#renderer/ui/buttons/form-buttons.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { ActButton } from '#renderer/workflows/action-button.tsx';

interface Props {
  readonly workflow: WorkflowView;
  readonly onActed: () => void;
}

export function PauseOrResume({ workflow, onActed }: Props) {
  const { client } = useApp();
  const isPaused = workflow.status === 'paused';
  const act = useIdempotentAction<unknown>({
    idFor: 'click',
    action: () =>
      client.call(isPaused ? 'workflows.resume' : 'workflows.pause', { workflowId: workflow.id }),
    onDone: onActed,
  });
  const { pause, pausing, resume, resuming } = text.workflows;
  return (
    <>
      <ActButton
        act={act}
        word={isPaused ? resume : pause}
        pendingWord={isPaused ? resuming : pausing}
        of={workflow.name}
        icon={isPaused ? <Play aria-hidden className="size-3.5" /> : <PauseIcon />}
      />
      <div className={act.error === null ? 'sr-only' : 'col-span-full mt-1'}>
        <Failure error={act.error} />
      </div>
    </>
  );
}

const PauseIcon = () => <Pause aria-hidden className="size-3.5" />;

/** On the workflow's own page there is room to say why. */
export function PauseWithReason({ workflow, onActed }: Props) {
  const [isOpen, setOpen] = useState(false);
  if (workflow.status === 'paused') {
    return (
      <div className="grid justify-items-end">
        <PauseOrResume workflow={workflow} onActed={onActed} />
      </div>
    );
  }
  const close = (): void => setOpen(false);
  return (
    <>
      <Button size="small" onPress={() => setOpen(true)}>
        <PauseIcon />
        {flowText.page.pause}
      </Button>
      <Sheet title={flowText.page.pauseTitle} isOpen={isOpen} onClose={close}>
        <PauseForm
          workflow={workflow}
          onClose={close}
          onActed={() => {
            close();
            onActed();
          }}
        />
      </Sheet>
    </>
  );
}

function PauseForm({ workflow, onClose, onActed }: Props & { readonly onClose: () => void }) {
  const { client } = useApp();
  const [reason, setReason] = useState('');
  const act = useIdempotentAction<unknown>({
    idFor: 'form',
    action: () =>
      client.call('workflows.pause', {
        workflowId: workflow.id,
        ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
      }),
    onDone: onActed,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    act.perform();
  };
  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-2 pb-5">
      <p className="text-muted">{flowText.page.pauseHint}</p>
      <TextInput
        label={flowText.page.reason}
        hint={flowText.page.reasonHint}
        value={reason}
        onChange={setReason}
        maxLength={MAX_NAME_LENGTH}
        takesFocus
      />
      <Failure error={act.error} />
      <FormButtons
        submit={act.isPending ? text.workflows.pausing : flowText.page.pauseSubmit}
        pending={act.isPending}
        onCancel={onClose}
      />
    </form>
  );
}
