import { MonitorSmartphone } from 'lucide-react';
import { useState } from 'react';
import type { DeviceView } from '#shared/api/devices.ts';
import { FEED_TABLES } from '#shared/api/feed.ts';
import { OtherDevices } from '#renderer/devices/other-devices.tsx';
import { ThisDevice } from '#renderer/devices/this-device.tsx';
import { PairedDevice } from '#renderer/devices/paired-device.tsx';
import { href } from '#renderer/navigation/router.ts';
import { text } from '#renderer/text/text.ts';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { LinkButton } from '#renderer/ui/buttons/link-button.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';
import type { QueryDependencies } from '#renderer/stores/live-query.ts';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

/** Any synced write changes how many changes peers are missing. */
const SYNCED_TABLES = FEED_TABLES.filter((table) => !table.startsWith('runner_'));
const DEPENDENCIES: QueryDependencies = {
  ...Object.fromEntries(SYNCED_TABLES.map((table) => [table, 'slow'])),
  devices: 'any',
};

export function DevicesPage() {
  const { answer, error, refresh } = useLiveCall('devices.list', {}, DEPENDENCIES);
  return (
    <Page
      title={text.devices.title}
      actions={
        <LinkButton variant="primary" to={href.pairing('link')}>
          {text.devices.pair}
        </LinkButton>
      }
    >
      <Failure error={error} onRetry={refresh} />
      {answer === null ? (
        error === null ? (
          <PageSkeleton label={text.devices.loading} />
        ) : null
      ) : (
        <DeviceList devices={answer.devices} onChanged={refresh} />
      )}
    </Page>
  );
}

interface ListProps {
  readonly devices: readonly DeviceView[];
  readonly onChanged: () => void;
}

function DeviceList({ devices, onChanged }: ListProps) {
  const [message, setMessage] = useState('');
  const own = devices.find(({ state }) => state === 'this');
  const paired = devices.filter(({ state }) => state === 'linked' || state === 'away');
  const others = devices.filter(({ state }) => state === 'unpaired' || state === 'known');
  const onUnpaired = (sentence: string): void => {
    setMessage(sentence);
    onChanged();
  };
  return (
    <div className="grid max-w-4xl gap-5">
      {own ? <ThisDevice device={own} onRenamed={onChanged} /> : null}
      <p role="status" className="text-muted empty:hidden">
        {message}
      </p>
      {paired.length === 0 ? (
        <EmptyState
          icon={MonitorSmartphone}
          title={text.devices.emptyTitle}
          hint={text.devices.emptyHint}
          isCompact
        >
          <LinkButton to={href.pairing('link')}>{text.devices.pair}</LinkButton>
        </EmptyState>
      ) : (
        <section className="grid gap-3">
          <h2 className="text-[0.8125rem] font-semibold text-muted">{text.devices.paired}</h2>
          {paired.map((device) => (
            <PairedDevice key={device.id} device={device} onUnpaired={onUnpaired} />
          ))}
        </section>
      )}
      <OtherDevices devices={others} />
    </div>
  );
}
