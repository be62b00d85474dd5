import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Confirm } from '#renderer/ui/feedback/confirm.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

const TEXT = text.settings.secrets;

interface Props {
  readonly name: string;
  readonly onClose: () => void;
  readonly onRemoved: (sentence: string) => void;
}

/** Use inside a `Sheet`. */
export function RemoveSecret({ name, onClose, onRemoved }: Props) {
  const { client } = useApp();
  const remove = useIdempotentAction({
    idFor: 'form',
    action: () => client.call('secrets.remove', { name }),
    onDone: () => {
      onClose();
      onRemoved(TEXT.removed(name));
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
