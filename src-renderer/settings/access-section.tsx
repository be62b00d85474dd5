// The access key for programs and browsers on this machine.
import { useState } from 'react';
import { useApp } from '#renderer/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Confirm } from '#renderer/ui/confirm.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { useAct } from '#renderer/use-act.ts';

const WORDS = text.settings.access;

export function AccessSection() {
  const [isAsking, setIsAsking] = useState(false);
  const [said, setSaid] = useState('');
  const close = (): void => setIsAsking(false);
  return (
    <>
      <p className="text-muted">{WORDS.hint}</p>
      <div className="flex flex-wrap items-center gap-3">
        <Button onPress={() => setIsAsking(true)}>{WORDS.rotate}</Button>
        <span role="status" className="text-[0.8125rem] text-muted">
          {said}
        </span>
      </div>
      <Sheet title={WORDS.rotateTitle} isOpen={isAsking} onClose={close}>
        <Rotate onClose={close} onRotated={() => setSaid(WORDS.rotated)} />
      </Sheet>
    </>
  );
}

interface RotateProps {
  readonly onClose: () => void;
  readonly onRotated: () => void;
}

function Rotate({ onClose, onRotated }: RotateProps) {
  const { client, onNewToken } = useApp();
  const rotate = useAct({
    idFor: 'form',
    act: () => client.call('token.rotate', {}),
    onDone: ({ token }) => {
      onClose();
      onRotated();
      onNewToken?.(token);
    },
  });
  return (
    <Confirm
      warning={WORDS.rotateWarning}
      submit={WORDS.rotateSubmit}
      act={rotate}
      onCancel={onClose}
    />
  );
}
