// Lets a person settle how an input ended.
import { useState, type FormEvent } from 'react';
import type { AutomationRunView } from '#shared/api/inputs.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { FormButtons } from '#renderer/ui/buttons/form-buttons.tsx';
import { Select } from '#renderer/ui/fields/select.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { showToast } from '#renderer/ui/feedback/toast.ts';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

const TEXT = inputsText.settle;
const OUTCOMES = ['succeeded', 'failed'] as const;

/** An input can be settled once. */
export function canSettle({ status, settled }: AutomationRunView): boolean {
  const isUnsuccessful = status === 'failed' || status === 'timed_out' || status === 'needs_human';
  return isUnsuccessful && settled === null;
}

interface Props {
  readonly inputId: string;
  readonly onDone: () => void;
}

export function SettleInput({ inputId, onDone }: Props) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button onPress={() => setOpen(true)}>{TEXT.open}</Button>
      <Sheet title={TEXT.title} isOpen={isOpen} onClose={close}>
        <SettleForm inputId={inputId} onDone={onDone} onClose={close} />
      </Sheet>
    </>
  );
}

function SettleForm({ inputId, onDone, onClose }: Props & { readonly onClose: () => void }) {
  const { client } = useApp();
  const [as, setAs] = useState<(typeof OUTCOMES)[number]>('succeeded');
  const [reason, setReason] = useState('');
  const [isRefused, setRefused] = useState(false);
  const settle = useIdempotentAction({
    idFor: 'form',
    action: () => client.call('inputs.settle', { inputId, as, reason }),
    onDone: ({ waiting }) => {
      onClose();
      showToast({ text: waiting ? inputsText.stop.waiting : TEXT.done });
      onDone();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setRefused(reason.trim() === '');
    if (reason.trim() !== '') settle.perform();
  };
  const isEmpty = isRefused && reason.trim() === '';
  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-2 pb-5">
      <p className="text-muted">{TEXT.hint}</p>
      <Select
        label={TEXT.as}
        items={OUTCOMES.map((id) => ({ id, name: TEXT.words[id] }))}
        chosen={as}
        onChoose={(id) => setAs(OUTCOMES.find((one) => one === id) ?? 'succeeded')}
      />
      <TextInput
        label={TEXT.reason}
        hint={TEXT.reasonHint}
        value={reason}
        onChange={setReason}
        maxLength={MAX_NAME_LENGTH}
        isRequired
        isInvalid={isEmpty}
        problem={isEmpty ? TEXT.reasonProblem : undefined}
      />
      <Failure error={settle.error} />
      <FormButtons submitLabel={TEXT.submit} isPending={settle.isPending} onCancel={onClose} />
    </form>
  );
}
