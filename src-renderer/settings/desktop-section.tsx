// How Holdfast behaves on this machine: only where there is a desktop.
import type { DesktopView } from '#shared/api/desktop.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { SettingSwitch } from '#renderer/ui/fields/setting-switch.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

const WORDS = text.settings.desktop;

export function DesktopSection() {
  const { answer, error, refresh } = useLiveCall('desktop.get', {});
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
  const { client } = useApp();
  return (
    <div className="divide-y divide-line rounded-lg bg-surface shadow-raised ring-1 ring-line">
      <SettingSwitch
        name={WORDS.startAtLogin}
        hint={desktop.startAtLoginProblem ?? WORDS.startAtLoginHint}
        isOn={desktop.startAtLogin}
        isDisabled={desktop.startAtLoginProblem !== null}
        set={(startAtLogin) => client.call('desktop.set', { startAtLogin })}
        onChanged={onChanged}
      />
      <SettingSwitch
        name={WORDS.notifications}
        hint={desktop.notificationsProblem ?? WORDS.notificationsHint}
        isOn={desktop.notifications}
        isDisabled={desktop.notificationsProblem !== null}
        set={(notifications) => client.call('desktop.set', { notifications })}
        onChanged={onChanged}
      />
      <SettingSwitch
        name={WORDS.keepRunning}
        hint={WORDS.keepRunningHint}
        isOn={desktop.keepRunning}
        set={(keepRunning) => client.call('desktop.set', { keepRunning })}
        onChanged={onChanged}
      />
    </div>
  );
}
