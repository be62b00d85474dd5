// A select field.
import { ChevronDown } from 'lucide-react';
import { Button, Label, Select as AriaSelect, SelectValue } from 'react-aria-components';
import { FieldNotes } from '#renderer/ui/fields/field-notes.tsx';
import { SelectOptions, type SelectOption } from '#renderer/ui/fields/select-options.tsx';

interface Props {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Validation error. */
  readonly problem?: string | undefined;
  /** Shown while nothing is selected. */
  readonly placeholder?: string;
  readonly items: readonly SelectOption[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

export function Select(props: Props) {
  const { label, hint, problem, placeholder = '–', items, chosen, onChoose } = props;
  return (
    <AriaSelect
      value={items.some(({ id }) => id === chosen) ? chosen : null}
      onChange={(key) => onChoose(String(key ?? ''))}
      isInvalid={problem !== undefined}
      placeholder={placeholder}
      className="grid justify-items-start gap-1"
    >
      <Label className="font-medium">{label}</Label>
      <Button
        className={`flex h-9 w-full max-w-sm min-w-0 cursor-default items-center gap-1.5 rounded-md bg-surface px-2.5 ring-1 ring-inset data-hovered:bg-hover data-pressed:bg-sunken ${problem === undefined ? 'ring-line-strong' : 'ring-bad'}`}
      >
        <SelectValue className="truncate [&_[slot=mark]]:hidden" />
        <ChevronDown aria-hidden className="ml-auto size-3.5 shrink-0 text-muted" />
      </Button>
      <FieldNotes hint={hint} problem={problem} />
      <SelectOptions items={items} className="max-w-[90vw]" />
    </AriaSelect>
  );
}
