// The API token for programs and browsers on this machine.
import { useState } from 'react';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Confirm } from '#renderer/ui/feedback/confirm.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

const TEXT = text.settings.access;

export function AccessSection() {
  const [isOpen, setIsOpen] = useState(false);
  const [message, setMessage] = useState('');
  const close = (): void => setIsOpen(false);
  return (
    <>
      <p className="text-muted">{TEXT.hint}</p>
      <div className="flex flex-wrap items-center gap-3">
        <Button onPress={() => setIsOpen(true)}>{TEXT.rotate}</Button>
        <span role="status" className="text-[0.8125rem] text-muted">
          {message}
        </span>
      </div>
      <Sheet title={TEXT.rotateTitle} isOpen={isOpen} onClose={close}>
        <RotateToken onClose={close} onRotated={() => setMessage(TEXT.rotated)} />
      </Sheet>
    </>
  );
}

interface RotateTokenProps {
  readonly onClose: () => void;
  readonly onRotated: () => void;
}

function RotateToken({ onClose, onRotated }: RotateTokenProps) {
  const { client, onNewToken } = useApp();
  const rotate = useIdempotentAction({
    idFor: 'form',
    action: () => client.call('token.rotate', {}),
    onDone: ({ token }) => {
      onClose();
      onRotated();
      onNewToken?.(token);
    },
  });
  return (
    <Confirm
      warning={TEXT.rotateWarning}
      submitLabel={TEXT.rotateSubmit}
      action={rotate}
      onCancel={onClose}
    />
  );
}
