// Skips or cancels an input that hasn't ended, after showing what is dropped.
import { useState } from 'react';
import type { Stop } from '#shared/inputs/kinds.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { showToast } from '#renderer/ui/feedback/toast.ts';
import { DialogButton } from '#renderer/ui/buttons/dialog-button.tsx';
import { ConfirmAction } from '#renderer/ui/feedback/confirm-action.tsx';

const TEXT = inputsText.stop;

interface Props {
  readonly inputId: string;
  readonly as: Stop;
  readonly onDone: () => void;
}

export function StopInput({ inputId, as, onDone }: Props) {
  return (
    <DialogButton label={as === 'skipped' ? TEXT.skip : TEXT.cancel} title={TEXT.titles[as]}>
      {(close) => <StopForm inputId={inputId} as={as} onDone={onDone} onClose={close} />}
    </DialogButton>
  );
}

function StopForm({ inputId, as, onDone, onClose }: Props & { readonly onClose: () => void }) {
  const { client } = useApp();
  const [reason, setReason] = useState('');
  return (
    <ConfirmAction
      warning={TEXT.warning}
      submitLabel={TEXT.submits[as]}
      action={() => client.call('inputs.skip', { inputId, as, reason })}
      onDone={({ waiting }) => {
        showToast({ text: waiting ? TEXT.waiting : TEXT.done[as] });
        onDone();
      }}
      onClose={onClose}
    >
      <TextInput
        label={TEXT.reason}
        value={reason}
        onChange={setReason}
        maxLength={MAX_NAME_LENGTH}
      />
    </ConfirmAction>
  );
}
