import { Input, Label, Text, TextArea, TextField } from 'react-aria-components';

const BOX =
  'w-full rounded-md bg-surface px-2.5 text-ink ring-1 ring-inset ring-line-strong placeholder:text-muted data-focused:ring-2 data-focused:ring-accent data-focused:outline-none data-invalid:ring-bad';

interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly isInvalid?: boolean;
  readonly autoFocus?: boolean;
  readonly maxLength?: number;
  /** Several lines of code instead of one line of text. */
  readonly lines?: { readonly rows: number; readonly code: boolean };
}

export function TextInput({ label, hint, placeholder, lines, ...field }: Props) {
  return (
    <TextField {...field} className="grid gap-1" autoComplete="off">
      <Label className="font-medium">{label}</Label>
      {lines ? (
        <TextArea
          rows={lines.rows}
          placeholder={placeholder ?? ''}
          spellCheck={!lines.code}
          className={`${BOX} resize-y py-2 ${lines.code ? 'font-mono text-[0.8125rem] leading-5' : ''}`}
        />
      ) : (
        <Input placeholder={placeholder ?? ''} className={`${BOX} h-9`} />
      )}
      {hint === undefined ? null : (
        <Text slot="description" className="text-[0.8125rem] text-muted">
          {hint}
        </Text>
      )}
    </TextField>
  );
}
