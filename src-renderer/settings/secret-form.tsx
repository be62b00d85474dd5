import { useState, type FormEvent } from 'react';
import { useApp } from '#renderer/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Failure } from '#renderer/ui/failure.tsx';
import { FormButtons } from '#renderer/ui/form-buttons.tsx';
import { TextInput } from '#renderer/ui/text-input.tsx';
import { useAct } from '#renderer/use-act.ts';

const WORDS = text.settings.secrets;

interface Props {
  /** If given, the form replaces this secret's value. */
  readonly name?: string;
  readonly onClose: () => void;
  readonly onKept: (sentence: string) => void;
}

/** The value exists only in this form. */
export function SecretForm({ name: given, onClose, onKept }: Props) {
  const { client } = useApp();
  const [typed, setTyped] = useState('');
  const [value, setValue] = useState('');
  const name = given ?? typed.trim();
  const keep = useAct({
    idFor: 'form',
    act: () => client.call('secrets.set', { name, value }),
    onDone: () => {
      onClose();
      onKept(WORDS.kept(name));
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name !== '' && value !== '') keep.perform();
  };
  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-3 pb-5">
      {given === undefined ? (
        <TextInput
          label={WORDS.name}
          hint={WORDS.nameHint}
          value={typed}
          onChange={setTyped}
          isRequired
          takesFocus
        />
      ) : null}
      <TextInput
        label={WORDS.value}
        hint={WORDS.valueHint}
        value={value}
        onChange={setValue}
        isRequired
        isSecret
        takesFocus={given !== undefined}
      />
      <Failure error={keep.error} />
      <FormButtons submit={WORDS.submit} pending={keep.pending} onCancel={onClose} />
    </form>
  );
}
