// A native date and time field.
import { Input, Label, TextField } from 'react-aria-components';
import { FieldNotes } from '#renderer/ui/fields/field-notes.tsx';
import { FIELD_BOX } from '#renderer/ui/fields/text-input.tsx';

interface Props {
  readonly label: string;
  /** For example 2026-01-05T14:03. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly problem?: string | undefined;
  readonly takesFocus?: boolean;
}

export function TimeInput({ label, problem, takesFocus = false, ...field }: Props) {
  return (
    <TextField
      {...field}
      type="datetime-local"
      isInvalid={problem !== undefined}
      validationBehavior="aria"
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- only in a dialog that was just opened.
      autoFocus={takesFocus}
      className="grid content-start gap-1"
    >
      <Label className="font-medium">{label}</Label>
      <Input max="9999-12-31T23:59" className={`${FIELD_BOX} h-9`} />
      <FieldNotes problem={problem} />
    </TextField>
  );
}
