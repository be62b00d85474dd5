import { useApp } from '#renderer/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Confirm } from '#renderer/ui/confirm.tsx';
import { useAct } from '#renderer/use-act.ts';

const WORDS = text.settings.secrets;

interface Props {
  readonly name: string;
  readonly onClose: () => void;
  readonly onRemoved: (sentence: string) => void;
}

/** Use inside a `Sheet`. */
export function RemoveSecret({ name, onClose, onRemoved }: Props) {
  const { client } = useApp();
  const remove = useAct({
    idFor: 'form',
    act: () => client.call('secrets.remove', { name }),
    onDone: () => {
      onClose();
      onRemoved(WORDS.removed(name));
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
