// Lets a person settle how an input ended.
import { useState, type FormEvent } from 'react';
import type { AutomationRunView } from '#shared/api/inputs.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/app-context.tsx';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { FormButtons } from '#renderer/ui/form-buttons.tsx';
import { OneOf } from '#renderer/ui/one-of.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { TextInput } from '#renderer/ui/text-input.tsx';
import { say } from '#renderer/ui/toast.ts';
import { useAct } from '#renderer/use-act.ts';

const WORDS = inputsText.settle;
const ENDS = ['succeeded', 'failed'] as const;

/** An input can be settled once. */
export function isSettleable({ status, settled }: AutomationRunView): boolean {
  const mayBe = status === 'failed' || status === 'timed_out' || status === 'needs_human';
  return mayBe && settled === null;
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
      <Button onPress={() => setOpen(true)}>{WORDS.open}</Button>
      <Sheet title={WORDS.title} isOpen={isOpen} onClose={close}>
        <SettleForm inputId={inputId} onDone={onDone} onClose={close} />
      </Sheet>
    </>
  );
}

function SettleForm({ inputId, onDone, onClose }: Props & { readonly onClose: () => void }) {
  const { client } = useApp();
  const [as, setAs] = useState<(typeof ENDS)[number]>('succeeded');
  const [reason, setReason] = useState('');
  const [isRefused, setRefused] = useState(false);
  const settle = useAct({
    idFor: 'form',
    act: () => client.call('inputs.settle', { inputId, as, reason }),
    onDone: ({ waiting }) => {
      onClose();
      say({ sentence: waiting ? inputsText.stop.waiting : WORDS.done });
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
      <p className="text-muted">{WORDS.hint}</p>
      <OneOf
        label={WORDS.as}
        items={ENDS.map((id) => ({ id, name: WORDS.words[id] }))}
        chosen={as}
        onChoose={(id) => setAs(ENDS.find((one) => one === id) ?? 'succeeded')}
      />
      <TextInput
        label={WORDS.reason}
        hint={WORDS.reasonHint}
        value={reason}
        onChange={setReason}
        maxLength={MAX_NAME_LENGTH}
        isRequired
        isInvalid={isEmpty}
        problem={isEmpty ? WORDS.reasonProblem : undefined}
      />
      <Failure error={settle.error} />
      <FormButtons submit={WORDS.submit} pending={settle.pending} onCancel={onClose} />
    </form>
  );
}
