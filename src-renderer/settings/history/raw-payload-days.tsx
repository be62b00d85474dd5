// How long the original payloads of inputs stay on this device.
import { useState } from 'react';
import { MAX_RETENTION_DAYS } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';
import { bytes } from '#renderer/text/numbers.ts';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';

const TEXT = upkeepText.rawPayloads;

export function RawPayloadDays() {
  const { answer, error, refresh } = useLiveCall('rawPayloads.get', {});
  return (
    <Panel title={TEXT.title}>
      <div className="grid gap-3">
        <p className="text-[0.8125rem] text-muted">{TEXT.hint}</p>
        <Failure error={error} />
        {answer ? (
          <>
            <DaysForm key={answer.days} days={answer.days} onSaved={refresh} />
            <p className="text-[0.8125rem]">{TEXT.stored(answer.stored, bytes(answer.bytes))}</p>
          </>
        ) : null}
      </div>
    </Panel>
  );
}

interface Props {
  readonly days: number;
  readonly onSaved: () => void;
}

function DaysForm({ days, onSaved }: Props) {
  const { client } = useApp();
  const [typed, setTyped] = useState(() => String(days));
  const wanted = daysOf(typed);
  const save = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('rawPayloads.choose', { days: wanted ?? days }),
    onDone: onSaved,
  });
  return (
    <>
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-40">
          <TextInput
            label={TEXT.label}
            value={typed}
            onChange={setTyped}
            problem={wanted === undefined ? TEXT.badDays(MAX_RETENTION_DAYS) : undefined}
          />
        </div>
        <Button
          isDisabled={wanted === undefined || wanted === days}
          isPending={save.isPending}
          onPress={save.perform}
        >
          {TEXT.save}
        </Button>
      </div>
      {wanted === 0 && days > 0 ? <p className="text-[0.8125rem]">{TEXT.deletes}</p> : null}
      <Failure error={save.error} />
    </>
  );
}

function daysOf(typed: string): number | undefined {
  const days = Number(typed.trim());
  const isDays = /^\d+$/.test(typed.trim()) && days <= MAX_RETENTION_DAYS;
  return isDays ? days : undefined;
}
