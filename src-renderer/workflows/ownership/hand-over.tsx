// Hands a workflow over to another device.
import { useState, type FormEvent } from 'react';
import { Label, RadioGroup } from 'react-aria-components';
import type { WorkflowView } from '#shared/api/contract.ts';
import type { DeviceView } from '#shared/api/devices.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { FormButtons } from '#renderer/ui/buttons/form-buttons.tsx';
import { RadioOption } from '#renderer/ui/fields/radio-option.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import type { DeviceLabels } from '#renderer/workflows/ownership/use-device-labels.ts';

interface Props {
  readonly workflow: WorkflowView;
  readonly devices: DeviceLabels;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function HandOver({ workflow, devices, onClose, onDone }: Props) {
  const { client } = useApp();
  const { owner } = workflow;
  const others = devices.all.filter(
    ({ id, state }) => id !== owner.deviceId && state !== 'unpaired',
  );
  const [chosen, setChosen] = useState<string | null>(
    others.length === 1 ? (others[0]?.id ?? null) : null,
  );
  const to = others.find(({ id }) => id === chosen);
  const handOverAction = useIdempotentAction({
    idFor: 'form',
    action: () =>
      client.call('workflows.handover', { workflowId: workflow.id, toDeviceId: chosen ?? '' }),
    onDone,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (chosen !== null) handOverAction.perform();
  };
  const { handOver } = workflowText;
  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-2 pb-5">
      <div className="grid gap-2">
        <p>{handOver.what}</p>
        <p className="text-muted">
          {owner.isThisDevice
            ? workflow.isBusy
              ? handOver.busy
              : handOver.idle
            : handOver.elsewhere(devices.labelOf(owner.deviceId))}{' '}
          {handOver.files}
        </p>
      </div>
      {others.length === 0 ? (
        <Notice tone="wait">
          <p>{handOver.none}</p>
        </Notice>
      ) : (
        <DevicePicker devices={others} chosen={chosen} onChoose={setChosen} />
      )}
      {to?.state === 'away' ? (
        <Notice tone="wait">
          <p>{handOver.awayHint(to.name)}</p>
        </Notice>
      ) : null}
      <Failure error={handOverAction.error} />
      {others.length === 0 ? null : (
        <FormButtons
          submitLabel={handOverAction.isPending ? handOver.submitting : handOver.submit}
          isPending={handOverAction.isPending}
          onCancel={onClose}
        />
      )}
    </form>
  );
}

interface DevicePickerProps {
  readonly devices: readonly DeviceView[];
  readonly chosen: string | null;
  readonly onChoose: (deviceId: string) => void;
}

function DevicePicker({ devices, chosen, onChoose }: DevicePickerProps) {
  return (
    <RadioGroup value={chosen} onChange={onChoose} className="grid gap-1.5">
      <Label className="font-medium">{workflowText.handOver.to}</Label>
      {devices.map(({ id, name, state }) => (
        <RadioOption key={id} value={id}>
          <span className="wrap-anywhere">{name}</span>
          {state === 'this' ? (
            <span className="text-[0.8125rem] text-muted">{workflowText.card.thisDevice}</span>
          ) : null}
          {state === 'away' ? (
            <span className="text-[0.8125rem] text-muted">{workflowText.handOver.away}</span>
          ) : null}
        </RadioOption>
      ))}
    </RadioGroup>
  );
}
