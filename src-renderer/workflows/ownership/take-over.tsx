// Takes over a workflow whose owner is gone: the risk, and its unfinished runs.
import type { WorkflowView } from '#shared/api/contract.ts';
import type { OpenThere } from '#shared/api/ownership.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { TAKE_OVER_OUTCOMES } from '#renderer/text/ownership-text.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { EffectChip } from '#renderer/ui/display/status-chip.tsx';
import { ConfirmAction } from '#renderer/ui/feedback/confirm-action.tsx';
import type { DeviceLabels } from '#renderer/workflows/ownership/use-device-labels.ts';
import { useOwnership } from '#renderer/workflows/ownership/use-ownership.ts';

interface Props {
  readonly workflow: WorkflowView;
  readonly devices: DeviceLabels;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function TakeOver({ workflow, devices, onClose, onDone }: Props) {
  const { client } = useApp();
  const { id, owner } = workflow;
  const { answer } = useOwnership(id);
  const { takeOver } = workflowText;
  const device = devices.labelOf(owner.state === 'released' ? owner.toDeviceId : owner.deviceId);
  return (
    <ConfirmAction
      warning={owner.isThisDevice ? takeOver.callBack : takeOver.warning(device)}
      submitLabel={takeOver.submit}
      pendingLabel={takeOver.submitting}
      action={() => client.call('workflows.takeover', { workflowId: id })}
      onDone={onDone}
      onClose={onClose}
    >
      <div className="grid gap-2 text-[0.8125rem]">
        <h3 className="font-medium">{takeOver.inFlight}</h3>
        {answer === null ? (
          <p className="text-muted">{takeOver.loading}</p>
        ) : (
          <InFlight open={answer.open} />
        )}
      </div>
      {owner.isThisDevice || owner.state === 'nobody' ? null : (
        <p className="text-muted">{takeOver.instead(device)}</p>
      )}
    </ConfirmAction>
  );
}

function InFlight({ open }: { readonly open: readonly OpenThere[] }) {
  if (open.length === 0) return <p className="text-muted">{workflowText.takeOver.nothing}</p>;
  return (
    <ul className="grid gap-2">
      {open.map(({ handlerRunId, title, handlerName, mutation, fate }) => (
        <li key={handlerRunId} className="grid gap-0.5 rounded-md bg-sunken px-3 py-2">
          <span className="flex flex-wrap items-center gap-2 font-medium wrap-anywhere">
            {title ?? handlerName}
            {mutation === null ? null : <EffectChip status={mutation.status} />}
          </span>
          {mutation === null || mutation.title === '' ? null : (
            <span className="wrap-anywhere text-muted">{mutation.title}</span>
          )}
          <span>{TAKE_OVER_OUTCOMES[fate]}</span>
        </li>
      ))}
    </ul>
  );
}
