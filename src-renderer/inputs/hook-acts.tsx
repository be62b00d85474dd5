// Rotates a hook's secret, and removes the hook.
import { useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import type { HookView } from '#shared/api/inputs.ts';
import { useApp } from '#renderer/app-context.tsx';
import { HookSecret } from '#renderer/inputs/hook-secret.tsx';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Confirm } from '#renderer/ui/confirm.tsx';
import { OneOf } from '#renderer/ui/one-of.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { say } from '#renderer/ui/toast.ts';
import { useAct } from '#renderer/use-act.ts';

const WORDS = inputsText.hooks;
type Rotated = CallOutput<'hooks.rotate'>;

interface Props {
  readonly hook: HookView;
  readonly onDone: () => void;
}

export function RotateHook({ hook, onDone }: Props) {
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
        {WORDS.rotate}
      </Button>
      <Sheet
        title={rotated === null ? WORDS.rotateTitle(hook.name) : WORDS.rotatedTitle(hook.name)}
        isOpen={isOpen}
        onClose={close}
      >
        {rotated === null ? (
          <RotateForm hook={hook} onRotated={setRotated} onClose={close} />
        ) : (
          <HookSecret {...rotated} onDone={close} />
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
  const rotate = useAct({
    idFor: 'form',
    act: () => client.call('hooks.rotate', { hookId: hook.id, overlapMs: Number(overlap) }),
    onDone: onRotated,
  });
  return (
    <Confirm
      warning={WORDS.rotateWarning}
      submit={WORDS.rotateSubmit}
      act={rotate}
      onCancel={onClose}
    >
      <OneOf
        label={WORDS.overlap}
        items={Object.entries(WORDS.overlaps).map(([id, name]) => ({ id, name }))}
        chosen={overlap}
        onChoose={setOverlap}
      />
    </Confirm>
  );
}

export function RemoveHook({ hook, onDone }: Props) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button size="small" onPress={() => setOpen(true)}>
        {WORDS.remove}
      </Button>
      <Sheet title={WORDS.removeTitle(hook.name)} isOpen={isOpen} onClose={close}>
        <RemoveForm hook={hook} onDone={onDone} onClose={close} />
      </Sheet>
    </>
  );
}

function RemoveForm({ hook, onDone, onClose }: Props & { readonly onClose: () => void }) {
  const { client } = useApp();
  const remove = useAct({
    idFor: 'form',
    act: () => client.call('hooks.remove', { hookId: hook.id }),
    onDone: () => {
      onClose();
      say({ sentence: WORDS.removed(hook.name) });
      onDone();
    },
  });
  return (
    <Confirm
      warning={WORDS.removeWarning}
      submit={WORDS.removeSubmit}
      act={remove}
      onCancel={onClose}
    />
  );
}
