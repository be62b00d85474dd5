// Flags that new sessions start with.
import { useApp } from '#renderer/shell/app-context.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';
import { FLAG_LABELS } from '#renderer/text/sessions-text.ts';
import { text } from '#renderer/text/text.ts';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { SettingSwitch } from '#renderer/ui/fields/setting-switch.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';

const TEXT = text.settings.flags;

export function FlagsSection() {
  const { client } = useApp();
  const { answer, error, refresh } = useLiveCall('flags.list', {});
  return (
    <>
      <p className="text-muted">{TEXT.hint}</p>
      <Failure error={error} />
      {answer === null && error === null ? <PageSkeleton label={TEXT.loading} /> : null}
      {answer ? (
        <div className="divide-y divide-line rounded-lg bg-surface shadow-raised ring-1 ring-line">
          {answer.flags.map(({ name, meaning, isOn }) => (
            <SettingSwitch
              key={name}
              name={FLAG_LABELS[name]}
              hint={meaning}
              isOn={isOn}
              save={(next) => client.call('flags.set', { name, isOn: next })}
              onChanged={refresh}
            />
          ))}
        </div>
      ) : null}
    </>
  );
}
