// How Holdfast behaves on this machine: only where there is a desktop.
import { Switch } from 'react-aria-components';
import type { CallInput } from '#shared/api/contract.ts';
import type { DesktopView } from '#shared/api/desktop.ts';
import { useApp } from '#renderer/app-context.tsx';
import { text } from '#renderer/text.ts';
import { Failure } from '#renderer/ui/failure.tsx';
import { Notice } from '#renderer/ui/notice.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { useAct } from '#renderer/use-act.ts';
import { useCall } from '#renderer/use-call.ts';

const WORDS = text.settings.desktop;

export function DesktopSection() {
  const { answer, error, refresh } = useCall('desktop.get', {});
  return (
    <>
      <p className="text-muted">{WORDS.hint}</p>
      <Failure error={error} />
      {answer === null && error === null ? <PageSkeleton label={WORDS.loading} /> : null}
      {answer && answer.desktop === null ? <Notice tone="plain">{WORDS.none}</Notice> : null}
      {answer?.desktop ? <Switches desktop={answer.desktop} onChanged={refresh} /> : null}
    </>
  );
}

interface SwitchesProps {
  readonly desktop: DesktopView;
  readonly onChanged: () => void;
}

function Switches({ desktop, onChanged }: SwitchesProps) {
  return (
    <div className="divide-y divide-line rounded-lg bg-surface shadow-raised ring-1 ring-line">
      <OneSwitch
        name={WORDS.startAtLogin}
        hint={desktop.startAtLoginProblem ?? WORDS.startAtLoginHint}
        isOn={desktop.startAtLogin}
        isDisabled={desktop.startAtLoginProblem !== null}
        wish={(isOn) => ({ startAtLogin: isOn })}
        onChanged={onChanged}
      />
      <OneSwitch
        name={WORDS.notifications}
        hint={desktop.notificationsProblem ?? WORDS.notificationsHint}
        isOn={desktop.notifications}
        isDisabled={desktop.notificationsProblem !== null}
        wish={(isOn) => ({ notifications: isOn })}
        onChanged={onChanged}
      />
      <OneSwitch
        name={WORDS.keepRunning}
        hint={WORDS.keepRunningHint}
        isOn={desktop.keepRunning}
        wish={(isOn) => ({ keepRunning: isOn })}
        onChanged={onChanged}
      />
    </div>
  );
}

interface OneSwitchProps {
  readonly name: string;
  readonly hint: string;
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  readonly wish: (isOn: boolean) => CallInput<'desktop.set'>;
  readonly onChanged: () => void;
}

/** Shows what the host says, not what was pressed. */
function OneSwitch({ name, hint, isOn, isDisabled = false, wish, onChanged }: OneSwitchProps) {
  const { client } = useApp();
  const set = useAct({
    idFor: 'click',
    act: () => client.call('desktop.set', wish(!isOn)),
    onDone: onChanged,
  });
  return (
    <div className="grid gap-2 px-4 py-3">
      <Switch
        isSelected={isOn}
        isDisabled={isDisabled || set.pending}
        onChange={set.perform}
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
      <Failure error={set.error} />
    </div>
  );
}
