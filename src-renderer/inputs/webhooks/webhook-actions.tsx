// Rotates a hook's secret, and removes the hook.
import { useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import type { HookView } from '#shared/api/inputs.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { WebhookSecret } from '#renderer/inputs/webhooks/webhook-secret.tsx';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Select } from '#renderer/ui/fields/select.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { showToast } from '#renderer/ui/feedback/toast.ts';
import { DialogButton } from '#renderer/ui/buttons/dialog-button.tsx';
import { ConfirmAction } from '#renderer/ui/feedback/confirm-action.tsx';

const TEXT = inputsText.webhooks;
type Rotated = CallOutput<'hooks.rotate'>;

interface Props {
  readonly hook: HookView;
  readonly onDone: () => void;
}

export function RotateWebhookSecret({ hook, onDone }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [rotated, setRotated] = useState<Rotated | null>(null);
  const close = (): void => {
    setOpen(false);
    setRotated(null);
    onDone();
  };
  return (
    <>
      <Button size="small" onPress={() => setOpen(true)}>
        {TEXT.rotate}
      </Button>
      <Sheet
        title={rotated === null ? TEXT.rotateTitle(hook.name) : TEXT.rotatedTitle(hook.name)}
        isOpen={isOpen}
        onClose={close}
      >
        {rotated === null ? (
          <RotateForm hook={hook} onRotated={setRotated} onClose={close} />
        ) : (
          <WebhookSecret {...rotated} onDone={close} />
        )}
      </Sheet>
    </>
  );
}

interface RotateFormProps {
  readonly hook: HookView;
  readonly onRotated: (rotated: Rotated) => void;
  readonly onClose: () => void;
}

function RotateForm({ hook, onRotated, onClose }: RotateFormProps) {
  const { client } = useApp();
  const [overlap, setOverlap] = useState('0');
  return (
    <ConfirmAction
      warning={TEXT.rotateWarning}
      submitLabel={TEXT.rotateSubmit}
      action={() => client.call('hooks.rotate', { hookId: hook.id, overlapMs: Number(overlap) })}
      onDone={onRotated}
      staysOpen
      onClose={onClose}
    >
      <Select
        label={TEXT.overlap}
        items={Object.entries(TEXT.overlaps).map(([id, name]) => ({ id, name }))}
        chosen={overlap}
        onChoose={setOverlap}
      />
    </ConfirmAction>
  );
}

export function RemoveWebhook({ hook, onDone }: Props) {
  const { client } = useApp();
  return (
    <DialogButton size="small" label={TEXT.remove} title={TEXT.removeTitle(hook.name)}>
      {(close) => (
        <ConfirmAction
          warning={TEXT.removeWarning}
          submitLabel={TEXT.removeSubmit}
          action={() => client.call('hooks.remove', { hookId: hook.id })}
          onDone={() => {
            showToast({ text: TEXT.removed(hook.name) });
            onDone();
          }}
          onClose={close}
        />
      )}
    </DialogButton>
  );
}
