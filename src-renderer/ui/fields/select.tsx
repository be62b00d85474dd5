// A select field.
import { Check, ChevronDown } from 'lucide-react';
import {
  Button,
  FieldError,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Text,
} from 'react-aria-components';

interface SelectOption {
  readonly id: string;
  readonly name: string;
}

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
  const { label, hint = '', problem, placeholder = '–', items, chosen, onChoose } = props;
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
      {hint === '' ? null : (
        <Text slot="description" className="text-[0.8125rem] text-muted">
          {hint}
        </Text>
      )}
      {problem === undefined ? null : (
        <FieldError className="text-[0.8125rem] font-medium text-bad">{problem}</FieldError>
      )}
      <Popover
        offset={4}
        className="max-w-[90vw] min-w-(--trigger-width) overflow-auto rounded-lg bg-surface p-1 shadow-overlay"
      >
        <ListBox items={items} className="outline-none">
          {(item: SelectOption) => (
            <ListBoxItem
              id={item.id}
              textValue={item.name}
              className="flex cursor-default items-center gap-2 rounded-md px-2 py-1.5 outline-none data-focused:bg-hover data-focus-visible:outline-none"
            >
              {({ isSelected }) => (
                <>
                  <Check
                    slot="mark"
                    aria-hidden
                    className={`size-3.5 shrink-0 text-accent ${isSelected ? '' : 'invisible'}`}
                  />
                  <span className="truncate">{item.name}</span>
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
