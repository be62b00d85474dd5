// Pairing by six digits that both devices show: one lets itself be found, the other picks it.
import { useRef, useState } from 'react';
import type { ComparisonView } from '#shared/api/devices.ts';
import { useApp } from '#renderer/app-context.tsx';
import { CompareDigits } from '#renderer/devices/compare-digits.tsx';
import { useCountdown } from '#renderer/devices/countdown.ts';
import { FindNearby } from '#renderer/devices/find-nearby.tsx';
import { Paired } from '#renderer/devices/paired.tsx';
import { PairingFailure } from '#renderer/devices/pairing-failure.tsx';
import { text } from '#renderer/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { useAct } from '#renderer/use-act.ts';
import { useAnswer } from '#renderer/use-answer.ts';

export function PairNearby() {
  const { answer, refresh } = useAnswer('devices.compare.get', {}, ['devices']);
  const { comparison, startOver } = useFreshComparison(answer?.comparison ?? null, answer !== null);
  if (comparison?.status === 'paired') return <Paired deviceId={comparison.deviceId} />;
  if (comparison) {
    return <CompareDigits comparison={comparison} onChanged={refresh} onStartOver={startOver} />;
  }
  return (
    <div className="grid gap-6">
      <p className="text-muted">{text.pairing.nearbyHint}</p>
      <BeFound isWaiting={answer?.isWaiting ?? false} onChanged={refresh} />
      <FindNearby onStarted={refresh} />
    </div>
  );
}

/** Without one that had ended before this page was opened, or that the person is done with. */
function useFreshComparison(
  last: ComparisonView | null,
  isKnown: boolean,
): { comparison: ComparisonView | null; startOver: () => void } {
  const past = useRef<string | null | undefined>(undefined);
  const [, setDone] = useState(0);
  const hasEnded = last?.status === 'paired' || last?.status === 'failed';
  if (past.current === undefined && isKnown) past.current = hasEnded ? (last?.id ?? null) : null;
  return {
    comparison: last !== null && last.id !== past.current ? last : null,
    startOver: () => {
      past.current = last?.id ?? null;
      setDone((count) => count + 1);
    },
  };
}

interface BeFoundProps {
  readonly isWaiting: boolean;
  readonly onChanged: () => void;
}

function BeFound({ isWaiting, onChanged }: BeFoundProps) {
  const { client } = useApp();
  const [until, setUntil] = useState(0);
  const left = useCountdown(until);
  const open = useAct({
    idFor: 'click',
    act: () => client.call('devices.compare.open', {}),
    onDone: (opened) => {
      setUntil(opened.until);
      onChanged();
    },
  });
  return (
    <section className="grid justify-items-start gap-2">
      <Button look="primary" isPending={open.pending} onPress={open.perform}>
        {text.pairing.beFound}
      </Button>
      <p role="status" className="tabular text-[0.8125rem] text-muted empty:hidden">
        {isWaiting && left !== null ? text.pairing.found(left) : ''}
      </p>
      <PairingFailure error={open.error} />
    </section>
  );
}
