// Rotates a hook's secret, and removes the hook.
import { useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import type { HookView } from '#shared/api/inputs.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { WebhookSecret } from '#renderer/inputs/webhooks/webhook-secret.tsx';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Confirm } from '#renderer/ui/feedback/confirm.tsx';
import { Select } from '#renderer/ui/fields/select.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { showToast } from '#renderer/ui/feedback/toast.ts';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

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
  const rotate = useIdempotentAction({
    idFor: 'form',
    action: () => client.call('hooks.rotate', { hookId: hook.id, overlapMs: Number(overlap) }),
    onDone: onRotated,
  });
  return (
    <Confirm
      warning={TEXT.rotateWarning}
      submitLabel={TEXT.rotateSubmit}
      action={rotate}
      onCancel={onClose}
    >
      <Select
        label={TEXT.overlap}
        items={Object.entries(TEXT.overlaps).map(([id, name]) => ({ id, name }))}
        chosen={overlap}
        onChoose={setOverlap}
      />
    </Confirm>
  );
}

export function RemoveWebhook({ hook, onDone }: Props) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button size="small" onPress={() => setOpen(true)}>
        {TEXT.remove}
      </Button>
      <Sheet title={TEXT.removeTitle(hook.name)} isOpen={isOpen} onClose={close}>
        <RemoveForm hook={hook} onDone={onDone} onClose={close} />
      </Sheet>
    </>
  );
}

function RemoveForm({ hook, onDone, onClose }: Props & { readonly onClose: () => void }) {
  const { client } = useApp();
  const remove = useIdempotentAction({
    idFor: 'form',
    action: () => client.call('hooks.remove', { hookId: hook.id }),
    onDone: () => {
      onClose();
      showToast({ text: TEXT.removed(hook.name) });
      onDone();
    },
  });
  return (
    <Confirm
      warning={TEXT.removeWarning}
      submitLabel={TEXT.removeSubmit}
      action={remove}
      onCancel={onClose}
    />
  );
}
