// Settings of the desktop app.
import type { DesktopView } from '#shared/api/desktop.ts';
import { useApp } from '#renderer/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Failure } from '#renderer/ui/failure.tsx';
import { Notice } from '#renderer/ui/notice.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { SettingSwitch } from '#renderer/ui/setting-switch.tsx';
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
