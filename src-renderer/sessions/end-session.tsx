// Ends an active session.
import { useState, type FormEvent } from 'react';
import { Label, Radio, RadioGroup } from 'react-aria-components';
import type { RunView } from '#shared/api/contract.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { FormButtons } from '#renderer/ui/buttons/form-buttons.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { SessionChip } from '#renderer/ui/display/status-chip.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

const OUTCOMES = ['completed', 'failed', 'canceled'] as const;
type Outcome = (typeof OUTCOMES)[number];

interface Props {
  readonly run: RunView;
  readonly onEnded: () => void;
}

export function EndSession({ run, onEnded }: Props) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button onPress={() => setOpen(true)}>{text.endSession.open}</Button>
      <Sheet title={text.endSession.title} isOpen={isOpen} onClose={close}>
        <EndSessionForm run={run} onClose={close} onEnded={onEnded} />
      </Sheet>
    </>
  );
}

function EndSessionForm({ run, onClose, onEnded }: Props & { readonly onClose: () => void }) {
  const { client } = useApp();
  const [end, setEnd] = useState<Outcome>('completed');
  const [reason, setReason] = useState('');
  const ending = useIdempotentAction({
    idFor: 'form',
    action: (terminalEventId) =>
      client.call('runs.finish', {
        runId: run.id,
        status: end,
        terminalEventId,
        ...(reason.trim() === '' ? {} : { error: reason.trim() }),
      }),
    onDone: () => {
      onClose();
      onEnded();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    ending.perform();
  };

  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-1 pb-5">
      <p className="text-muted">{text.endSession.hint}</p>
      <RadioGroup
        value={end}
        onChange={(value) => setEnd(OUTCOMES.find((one) => one === value) ?? end)}
        className="grid gap-1.5"
      >
        <Label className="font-medium">{text.endSession.as}</Label>
        {OUTCOMES.map((one) => (
          <Radio
            key={one}
            value={one}
            className="group flex items-center gap-3 rounded-md px-3 py-2 ring-1 ring-line ring-inset data-hovered:bg-hover data-selected:ring-2 data-selected:ring-accent"
          >
            <span
              aria-hidden
              className="size-4 shrink-0 rounded-full ring-1 ring-line-strong ring-inset group-data-selected:bg-on-accent group-data-selected:ring-5 group-data-selected:ring-accent-fill"
            />
            <span className="w-24 shrink-0">
              <SessionChip status={one} />
            </span>
            <span className="text-[0.8125rem] text-muted">{text.endSession.choices[one]}</span>
          </Radio>
        ))}
      </RadioGroup>
      <TextInput
        label={text.endSession.reason}
        hint={text.endSession.reasonHint}
        value={reason}
        onChange={setReason}
        maxLength={MAX_NAME_LENGTH * 10}
        lines={{ rows: 2, isCode: false }}
      />
      <Failure error={ending.error} />
      <FormButtons
        submitLabel={ending.isPending ? text.endSession.submitting : text.endSession.submit}
        isPending={ending.isPending}
        onCancel={onClose}
      />
    </form>
  );
}
