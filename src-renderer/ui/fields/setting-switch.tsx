// A switch that shows the host's state, not the pressed one.
import { Switch } from 'react-aria-components';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

interface Props {
  readonly name: string;
  readonly hint: string;
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  readonly save: (isOn: boolean) => Promise<unknown>;
  readonly onChanged: () => void;
}

export function SettingSwitch({ name, hint, isOn, isDisabled = false, save, onChanged }: Props) {
  const change = useIdempotentAction({
    idFor: 'click',
    action: () => save(!isOn),
    onDone: onChanged,
  });
  return (
    <div className="grid gap-2 px-4 py-3">
      <Switch
        isSelected={isOn}
        isDisabled={isDisabled || change.isPending}
        onChange={change.perform}
        className="flex cursor-default items-center justify-between gap-4"
      >
        <span className="grid gap-0.5">
          <span className="font-medium">{name}</span>
          <span className="text-[0.8125rem] text-muted">{hint}</span>
        </span>
        <span
          aria-hidden
          className={`flex h-5 w-9 shrink-0 items-center rounded-full p-0.5 ring-1 ring-inset ${isOn ? 'justify-end bg-accent-fill ring-accent-fill' : 'justify-start bg-sunken ring-line-strong'}`}
        >
          <span className={`size-4 rounded-full ${isOn ? 'bg-on-accent' : 'bg-muted'}`} />
        </span>
      </Switch>
      <Failure error={change.error} />
    </div>
  );
}
