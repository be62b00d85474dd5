// The six pairing digits, and the buttons to confirm or reject them.
import type { ComparisonView } from '#shared/api/devices.ts';
import { ApiError } from '#shared/api/errors.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { PairingFailure } from '#renderer/devices/pairing/pairing-failure.tsx';
import { shortId } from '#renderer/format/short-id.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

interface Props {
  readonly comparison: ComparisonView;
  readonly onChanged: () => void;
  readonly onStartOver: () => void;
}

export function CompareDigits({ comparison, onChanged, onStartOver }: Props) {
  const { failure, status, digits } = comparison;
  if (failure !== null) {
    const error = new ApiError({
      type: 'conflict',
      message: failure.message,
      reason: failure.name,
    });
    return (
      <PairingFailure error={error}>
        <Button size="small" onPress={onStartOver} className="justify-self-start">
          {text.pairing.startOver}
        </Button>
      </PairingFailure>
    );
  }
  if (digits === null) return <PageSkeleton label={text.pairing.connecting} />;
  return (
    <section className="grid justify-items-start gap-4 rounded-lg bg-surface p-5 shadow-raised ring-1 ring-line">
      <h2 className="text-[0.9375rem] font-semibold">{text.pairing.digits}</h2>
      <p
        aria-label={digits.replaceAll(/\B/g, ' ')}
        role="img"
        className="tabular rounded-lg bg-sunken px-5 py-3 font-mono text-4xl font-semibold tracking-widest ring-1 ring-line"
      >
        {digits.slice(0, 3)} {digits.slice(3)}
      </p>
      <p className="text-muted">
        {text.pairing.digitsHint(comparison.name ?? shortId(comparison.deviceId))}
      </p>
      {status === 'confirmed' ? (
        <p role="status" className="font-medium">
          {text.pairing.confirmed}
        </p>
      ) : (
        <ConfirmDigits comparisonId={comparison.id} onChanged={onChanged} />
      )}
    </section>
  );
}

interface ConfirmDigitsProps {
  readonly comparisonId: string;
  readonly onChanged: () => void;
}

function ConfirmDigits({ comparisonId, onChanged }: ConfirmDigitsProps) {
  const { client } = useApp();
  const confirm = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('devices.compare.confirm', { comparisonId }),
    onDone: onChanged,
  });
  const reject = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('devices.compare.reject', { comparisonId }),
    onDone: onChanged,
  });
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" isPending={confirm.isPending} onPress={confirm.perform}>
          {text.pairing.same}
        </Button>
        <Button isPending={reject.isPending} onPress={reject.perform}>
          {text.pairing.differ}
        </Button>
      </div>
      <PairingFailure error={confirm.error ?? reject.error} />
    </>
  );
}
