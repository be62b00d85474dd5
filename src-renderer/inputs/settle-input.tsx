// Lets a person settle how an input ended.
import { useState } from 'react';
import type { AutomationRunView } from '#shared/api/inputs.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Select } from '#renderer/ui/fields/select.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { showToast } from '#renderer/ui/feedback/toast.ts';
import { DialogButton } from '#renderer/ui/buttons/dialog-button.tsx';
import { SheetForm } from '#renderer/ui/fields/sheet-form.tsx';

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
  return (
    <DialogButton label={TEXT.open} title={TEXT.title}>
      {(close) => <SettleForm inputId={inputId} onDone={onDone} onClose={close} />}
    </DialogButton>
  );
}

function SettleForm({ inputId, onDone, onClose }: Props & { readonly onClose: () => void }) {
  const { client } = useApp();
  const [as, setAs] = useState<(typeof OUTCOMES)[number]>('succeeded');
  const [reason, setReason] = useState('');
  const [isRefused, setRefused] = useState(false);
  const validate = (): boolean => {
    setRefused(reason.trim() === '');
    return reason.trim() !== '';
  };
  const isEmpty = isRefused && reason.trim() === '';
  return (
    <SheetForm
      action={() => client.call('inputs.settle', { inputId, as, reason })}
      onDone={({ waiting }) => {
        showToast({ text: waiting ? inputsText.stop.waiting : TEXT.done });
        onDone();
      }}
      validate={validate}
      submitLabel={TEXT.submit}
      onClose={onClose}
      className="pt-2"
    >
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
        problem={isEmpty ? TEXT.reasonProblem : undefined}
      />
    </SheetForm>
  );
}
