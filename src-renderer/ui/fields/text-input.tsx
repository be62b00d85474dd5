import { Input, Label, TextArea, TextField } from 'react-aria-components';
import { FieldNotes } from '#renderer/ui/fields/field-notes.tsx';

export const FIELD_BOX =
  'w-full rounded-md bg-surface px-2.5 text-ink ring-1 ring-inset ring-line-strong placeholder:text-muted data-focused:ring-2 data-focused:ring-accent data-focused:outline-none data-invalid:ring-bad';

interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  /** Marks the field without a text of its own. */
  readonly isInvalid?: boolean;
  /** Validation error. */
  readonly problem?: string | undefined;
  /** Masks the input. */
  readonly isSecret?: boolean;
  /** Focus on mount. */
  readonly takesFocus?: boolean;
  readonly maxLength?: number;
  /** Multiple lines of code instead of one line of text. */
  readonly lines?: { readonly rows: number; readonly isCode: boolean };
}

export function TextInput({
  label,
  hint,
  placeholder,
  lines,
  problem,
  isInvalid = problem !== undefined,
  isSecret = false,
  takesFocus = false,
  ...field
}: Props) {
  return (
    // "aria" shows errors beside the field without blocking the next submit.
    <TextField
      {...field}
      isInvalid={isInvalid}
      validationBehavior="aria"
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- only in a dialog that was just opened.
      autoFocus={takesFocus}
      className="grid gap-1"
      autoComplete={isSecret ? 'new-password' : 'off'}
      type={isSecret ? 'password' : 'text'}
    >
      <Label className="font-medium">{label}</Label>
      {lines ? (
        <TextArea
          rows={lines.rows}
          placeholder={placeholder ?? ''}
          spellCheck={!lines.isCode}
          className={`${FIELD_BOX} resize-y py-2 ${lines.isCode ? 'font-mono text-[0.8125rem] leading-5' : ''}`}
        />
      ) : (
        <Input placeholder={placeholder ?? ''} className={`${FIELD_BOX} h-9`} />
      )}
      <FieldNotes hint={hint} problem={problem} />
    </TextField>
  );
}
