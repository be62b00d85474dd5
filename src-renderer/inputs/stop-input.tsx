// Skips or cancels an input that hasn't ended, after showing what is dropped.
import { useState } from 'react';
import type { Stop } from '#shared/inputs/kinds.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/app-context.tsx';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Confirm } from '#renderer/ui/confirm.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { TextInput } from '#renderer/ui/text-input.tsx';
import { say } from '#renderer/ui/toast.ts';
import { useAct } from '#renderer/use-act.ts';

const WORDS = inputsText.stop;

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
      <Button onPress={() => setOpen(true)}>{as === 'skipped' ? WORDS.skip : WORDS.cancel}</Button>
      <Sheet title={WORDS.titles[as]} isOpen={isOpen} onClose={close}>
        <StopForm inputId={inputId} as={as} onDone={onDone} onClose={close} />
      </Sheet>
    </>
  );
}

function StopForm({ inputId, as, onDone, onClose }: Props & { readonly onClose: () => void }) {
  const { client } = useApp();
  const [reason, setReason] = useState('');
  const stop = useAct({
    idFor: 'form',
    act: () => client.call('inputs.skip', { inputId, as, reason }),
    onDone: ({ waiting }) => {
      onClose();
      say({ sentence: waiting ? WORDS.waiting : WORDS.done[as] });
      onDone();
    },
  });
  return (
    <Confirm warning={WORDS.warning} submit={WORDS.submits[as]} act={stop} onCancel={onClose}>
      <TextInput
        label={WORDS.reason}
        value={reason}
        onChange={setReason}
        maxLength={MAX_NAME_LENGTH}
      />
    </Confirm>
  );
}
