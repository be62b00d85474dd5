import { useState, type FormEvent } from 'react';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { FormButtons } from '#renderer/ui/buttons/form-buttons.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

const TEXT = text.settings.secrets;

interface Props {
  /** If given, the form replaces this secret's value. */
  readonly name?: string;
  readonly onClose: () => void;
  readonly onSaved: (sentence: string) => void;
}

/** The value exists only in this form. */
export function SecretForm({ name: given, onClose, onSaved }: Props) {
  const { client } = useApp();
  const [typed, setTyped] = useState('');
  const [value, setValue] = useState('');
  const name = given ?? typed.trim();
  const save = useIdempotentAction({
    idFor: 'form',
    action: () => client.call('secrets.set', { name, value }),
    onDone: () => {
      onClose();
      onSaved(TEXT.saved(name));
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name !== '' && value !== '') save.perform();
  };
  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-3 pb-5">
      {given === undefined ? (
        <TextInput
          label={TEXT.name}
          hint={TEXT.nameHint}
          value={typed}
          onChange={setTyped}
          isRequired
          takesFocus
        />
      ) : null}
      <TextInput
        label={TEXT.value}
        hint={TEXT.valueHint}
        value={value}
        onChange={setValue}
        isRequired
        isSecret
        takesFocus={given !== undefined}
      />
      <Failure error={save.error} />
      <FormButtons submitLabel={TEXT.submit} isPending={save.isPending} onCancel={onClose} />
    </form>
  );
}
