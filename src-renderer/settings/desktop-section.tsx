// Settings of the desktop app.
import type { DesktopView } from '#shared/api/desktop.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { SettingSwitch } from '#renderer/ui/fields/setting-switch.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

const TEXT = text.settings.desktop;

export function DesktopSection() {
  const { answer, error, refresh } = useLiveCall('desktop.get', {});
  return (
    <>
      <p className="text-muted">{TEXT.hint}</p>
      <Failure error={error} />
      {answer === null && error === null ? <PageSkeleton label={TEXT.loading} /> : null}
      {answer && answer.desktop === null ? <Notice tone="plain">{TEXT.none}</Notice> : null}
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
        name={TEXT.startAtLogin}
        hint={desktop.startAtLoginProblem ?? TEXT.startAtLoginHint}
        isOn={desktop.startAtLogin}
        isDisabled={desktop.startAtLoginProblem !== null}
        save={(startAtLogin) => client.call('desktop.set', { startAtLogin })}
        onChanged={onChanged}
      />
      <SettingSwitch
        name={TEXT.notifications}
        hint={desktop.notificationsProblem ?? TEXT.notificationsHint}
        isOn={desktop.notifications}
        isDisabled={desktop.notificationsProblem !== null}
        save={(notifications) => client.call('desktop.set', { notifications })}
        onChanged={onChanged}
      />
      <SettingSwitch
        name={TEXT.keepRunning}
        hint={TEXT.keepRunningHint}
        isOn={desktop.keepRunning}
        save={(keepRunning) => client.call('desktop.set', { keepRunning })}
        onChanged={onChanged}
      />
    </div>
  );
}
