// Skips or cancels an input that hasn't ended, after showing what is dropped.
import { useState } from 'react';
import type { Stop } from '#shared/inputs/kinds.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Confirm } from '#renderer/ui/feedback/confirm.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { showToast } from '#renderer/ui/feedback/toast.ts';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

const TEXT = inputsText.stop;

interface Props {
  readonly inputId: string;
  readonly as: Stop;
  readonly onDone: () => void;
}

export function StopInput({ inputId, as, onDone }: Props) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button onPress={() => setOpen(true)}>{as === 'skipped' ? TEXT.skip : TEXT.cancel}</Button>
      <Sheet title={TEXT.titles[as]} isOpen={isOpen} onClose={close}>
        <StopForm inputId={inputId} as={as} onDone={onDone} onClose={close} />
      </Sheet>
    </>
  );
}

function StopForm({ inputId, as, onDone, onClose }: Props & { readonly onClose: () => void }) {
  const { client } = useApp();
  const [reason, setReason] = useState('');
  const stop = useIdempotentAction({
    idFor: 'form',
    action: () => client.call('inputs.skip', { inputId, as, reason }),
    onDone: ({ waiting }) => {
      onClose();
      showToast({ text: waiting ? TEXT.waiting : TEXT.done[as] });
      onDone();
    },
  });
  return (
    <Confirm warning={TEXT.warning} submitLabel={TEXT.submits[as]} action={stop} onCancel={onClose}>
      <TextInput
        label={TEXT.reason}
        value={reason}
        onChange={setReason}
        maxLength={MAX_NAME_LENGTH}
      />
    </Confirm>
  );
}
