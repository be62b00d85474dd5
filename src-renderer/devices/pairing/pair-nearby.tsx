// Pairing by six digits: one device is discoverable, the other picks it.
import { useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import type { ComparisonView } from '#shared/api/devices.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { CompareDigits } from '#renderer/devices/pairing/compare-digits.tsx';
import { useCountdown } from '#renderer/devices/pairing/use-countdown.ts';
import { FindNearby } from '#renderer/devices/pairing/find-nearby.tsx';
import { PairingComplete } from '#renderer/devices/pairing/pairing-complete.tsx';
import { PairingFailure } from '#renderer/devices/pairing/pairing-failure.tsx';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

export function PairNearby() {
  const { answer, refresh } = useLiveCall('devices.compare.get', {}, { devices: 'any' });
  const { comparison, startOver } = useFreshComparison(answer?.comparison ?? null, answer !== null);
  if (comparison?.status === 'paired') return <PairingComplete deviceId={comparison.deviceId} />;
  if (comparison) {
    return <CompareDigits comparison={comparison} onChanged={refresh} onStartOver={startOver} />;
  }
  return (
    <div className="grid gap-6">
      <p className="text-muted">{text.pairing.nearbyHint}</p>
      <BecomeDiscoverable isWaiting={answer?.isWaiting ?? false} onChanged={refresh} />
      <FindNearby onStarted={refresh} />
    </div>
  );
}

/** Ignores a comparison that ended before this page opened, or that the person dismissed. */
function useFreshComparison(
  last: ComparisonView | null,
  isKnown: boolean,
): { comparison: ComparisonView | null; startOver: () => void } {
  const [past, setPast] = useState<string | null | undefined>(undefined);
  const hasEnded = last?.status === 'paired' || last?.status === 'failed';
  if (past === undefined && isKnown) setPast(hasEnded ? last.id : null);
  return {
    comparison: past !== undefined && last?.id !== past ? last : null,
    startOver: () => setPast(last?.id ?? null),
  };
}

type Opened = CallOutput<'devices.compare.open'>;

interface BecomeDiscoverableProps {
  readonly isWaiting: boolean;
  readonly onChanged: () => void;
}

function BecomeDiscoverable({ isWaiting, onChanged }: BecomeDiscoverableProps) {
  const { client } = useApp();
  const [{ until, addresses }, setOpened] = useState<Opened>({ until: 0, addresses: [] });
  const timeLeft = useCountdown(until);
  const open = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('devices.compare.open', {}),
    onDone: (opened) => {
      setOpened(opened);
      onChanged();
    },
  });
  return (
    <section className="grid justify-items-start gap-2">
      <Button variant="primary" isPending={open.isPending} onPress={open.perform}>
        {text.pairing.beFound}
      </Button>
      <p role="status" className="tabular text-[0.8125rem] text-muted empty:hidden">
        {isWaiting && timeLeft !== null ? (
          <>
            {text.pairing.found(timeLeft)}
            <br />
            {text.pairing.ownAddresses(addresses.join(', '))}
          </>
        ) : null}
      </p>
      <PairingFailure error={open.error} />
    </section>
  );
}
