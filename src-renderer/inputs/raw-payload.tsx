// The payload as it was received, secrets included. Loaded only on request, and not stored here.
import { useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { bytes } from '#renderer/text/numbers.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { LongText } from '#renderer/ui/display/long-text.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';

const TEXT = inputsText.one;

export function RawPayload({ inputId }: { readonly inputId: string }) {
  const { client } = useApp();
  const [raw, setRaw] = useState<CallOutput<'inputs.raw'> | null>(null);
  const load = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('inputs.raw', { inputId }),
    onDone: setRaw,
  });
  return (
    <div className="grid justify-items-start gap-2">
      {raw ? (
        <Button size="small" onPress={() => setRaw(null)}>
          {TEXT.hideRaw}
        </Button>
      ) : (
        <Button size="small" isPending={load.isPending} onPress={load.perform}>
          {TEXT.showRaw}
        </Button>
      )}
      <Failure error={load.error} />
      {raw ? (
        <div className="grid w-full gap-1">
          <p className="text-muted">{TEXT.rawHint(bytes(raw.bytes))}</p>
          <LongText label={TEXT.raw} whole={raw.text} />
        </div>
      ) : null}
    </div>
  );
}
