// Pauses, with an optional reason, and resumes.
import { Pause, Play } from 'lucide-react';
import { useState } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { isRestoredReason } from '#shared/restored-reason.ts';
import { href } from '#renderer/navigation/router.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { LinkButton } from '#renderer/ui/buttons/link-button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { DialogButton } from '#renderer/ui/buttons/dialog-button.tsx';
import { SheetForm } from '#renderer/ui/fields/sheet-form.tsx';
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
        icon={isPaused ? Play : Pause}
      />
      <div className={toggle.error === null ? 'sr-only' : 'col-span-full mt-1'}>
        <Failure error={toggle.error} />
      </div>
    </>
  );
}

/** The workflow's own page has room for a reason. */
export function PauseWithReason({ workflow, onChanged }: Props) {
  if (workflow.status === 'paused') {
    return (
      <div className="grid justify-items-end">
        <PauseOrResume workflow={workflow} onChanged={onChanged} />
      </div>
    );
  }
  return (
    <DialogButton
      size="small"
      icon={Pause}
      label={workflowText.page.pause}
      title={workflowText.page.pauseTitle}
    >
      {(close) => <PauseForm workflow={workflow} onClose={close} onChanged={onChanged} />}
    </DialogButton>
  );
}

function PauseForm({ workflow, onClose, onChanged }: Props & { readonly onClose: () => void }) {
  const { client } = useApp();
  const [reason, setReason] = useState('');
  return (
    <SheetForm
      action={() =>
        client.call('workflows.pause', {
          workflowId: workflow.id,
          ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
        })
      }
      onDone={onChanged}
      submitLabel={workflowText.page.pauseSubmit}
      pendingLabel={text.workflows.pausing}
      onClose={onClose}
      className="pt-2"
    >
      <p className="text-muted">{workflowText.page.pauseHint}</p>
      <TextInput
        label={workflowText.page.reason}
        hint={workflowText.page.reasonHint}
        value={reason}
        onChange={setReason}
        maxLength={MAX_NAME_LENGTH}
        takesFocus
      />
    </SheetForm>
  );
}
