import { useState } from 'react';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { SheetForm } from '#renderer/ui/fields/sheet-form.tsx';

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
  return (
    <SheetForm
      action={() => client.call('secrets.set', { name, value })}
      onDone={() => onSaved(TEXT.saved(name))}
      validate={() => name !== '' && value !== ''}
      submitLabel={TEXT.submit}
      onClose={onClose}
      className="pt-3"
    >
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
    </SheetForm>
  );
}
