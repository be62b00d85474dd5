// Pauses, with an optional reason, and resumes.
import { Pause, Play } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { flowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { FormButtons } from '#renderer/ui/form-buttons.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { TextInput } from '#renderer/ui/text-input.tsx';
import { useAct } from '#renderer/use-act.ts';
import { ActButton } from '#renderer/workflows/act-button.tsx';

interface Props {
  readonly workflow: WorkflowView;
  readonly onActed: () => void;
}

export function PauseOrResume({ workflow, onActed }: Props) {
  const { client } = useApp();
  const isPaused = workflow.status === 'paused';
  const act = useAct<unknown>({
    idFor: 'click',
    act: () =>
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

/** The workflow's own page has room for a reason. */
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
  const act = useAct<unknown>({
    idFor: 'form',
    act: () =>
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
        submit={act.pending ? text.workflows.pausing : flowText.page.pauseSubmit}
        pending={act.pending}
        onCancel={onClose}
      />
    </form>
  );
}
