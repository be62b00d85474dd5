// Pauses, with an optional reason, and resumes.
import { Pause, Play } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { isRestoredReason } from '#shared/restored-reason.ts';
import { href } from '#renderer/navigation/router.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { LinkButton } from '#renderer/ui/buttons/link-button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { FormButtons } from '#renderer/ui/buttons/form-buttons.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { ActionButton } from '#renderer/workflows/action-button.tsx';

interface Props {
  readonly workflow: WorkflowView;
  readonly onChanged: () => void;
}

export function PauseOrResume(props: Props) {
  const { status, statusReason, name } = props.workflow;
  // Resuming could repeat what was done after the backup, so that is shown first.
  if (status === 'paused' && isRestoredReason(statusReason)) {
    return (
      <LinkButton size="small" to={href.settings('backups')}>
        {upkeepText.restored.toSettings}
        <span className="sr-only">{upkeepText.restored.of(name)}</span>
      </LinkButton>
    );
  }
  return <TogglePause {...props} />;
}

function TogglePause({ workflow, onChanged }: Props) {
  const { client } = useApp();
  const isPaused = workflow.status === 'paused';
  const toggle = useIdempotentAction<unknown>({
    idFor: 'click',
    action: () =>
      client.call(isPaused ? 'workflows.resume' : 'workflows.pause', { workflowId: workflow.id }),
    onDone: onChanged,
  });
  const { pause, pausing, resume, resuming } = text.workflows;
  return (
    <>
      <ActionButton
        action={toggle}
        label={isPaused ? resume : pause}
        pendingLabel={isPaused ? resuming : pausing}
        subject={workflow.name}
        icon={isPaused ? <Play aria-hidden className="size-3.5" /> : <PauseIcon />}
      />
      <div className={toggle.error === null ? 'sr-only' : 'col-span-full mt-1'}>
        <Failure error={toggle.error} />
      </div>
    </>
  );
}

const PauseIcon = () => <Pause aria-hidden className="size-3.5" />;

/** The workflow's own page has room for a reason. */
export function PauseWithReason({ workflow, onChanged }: Props) {
  const [isOpen, setOpen] = useState(false);
  if (workflow.status === 'paused') {
    return (
      <div className="grid justify-items-end">
        <PauseOrResume workflow={workflow} onChanged={onChanged} />
      </div>
    );
  }
  const close = (): void => setOpen(false);
  return (
    <>
      <Button size="small" onPress={() => setOpen(true)}>
        <PauseIcon />
        {workflowText.page.pause}
      </Button>
      <Sheet title={workflowText.page.pauseTitle} isOpen={isOpen} onClose={close}>
        <PauseForm
          workflow={workflow}
          onClose={close}
          onChanged={() => {
            close();
            onChanged();
          }}
        />
      </Sheet>
    </>
  );
}

function PauseForm({ workflow, onClose, onChanged }: Props & { readonly onClose: () => void }) {
  const { client } = useApp();
  const [reason, setReason] = useState('');
  const pause = useIdempotentAction<unknown>({
    idFor: 'form',
    action: () =>
      client.call('workflows.pause', {
        workflowId: workflow.id,
        ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
      }),
    onDone: onChanged,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    pause.perform();
  };
  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-2 pb-5">
      <p className="text-muted">{workflowText.page.pauseHint}</p>
      <TextInput
        label={workflowText.page.reason}
        hint={workflowText.page.reasonHint}
        value={reason}
        onChange={setReason}
        maxLength={MAX_NAME_LENGTH}
        takesFocus
      />
      <Failure error={pause.error} />
      <FormButtons
        submitLabel={pause.isPending ? text.workflows.pausing : workflowText.page.pauseSubmit}
        isPending={pause.isPending}
        onCancel={onClose}
      />
    </form>
  );
}
