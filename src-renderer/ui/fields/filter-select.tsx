// A filter menu. The first item means "all".
import { Check, ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components';

export interface FilterOption {
  readonly id: string;
  readonly name: string;
  readonly icon?: ReactNode;
}

interface Props {
  readonly label: string;
  readonly allLabel: string;
  readonly items: readonly FilterOption[];
  readonly chosen: string | null;
  /** For long values that must be readable. */
  readonly isWide?: boolean;
  readonly onChoose: (id: string | null) => void;
}

const ALL = '';

export function FilterSelect({ label, allLabel, items, chosen, isWide = false, onChoose }: Props) {
  return (
    <Select
      aria-label={label}
      value={chosen ?? ALL}
      onChange={(key) => onChoose(key === ALL || key === null ? null : String(key))}
      className="min-w-0"
    >
      <Button
        className={`flex h-8 ${isWide ? 'max-w-80' : 'max-w-56'} min-w-0 cursor-default items-center gap-1.5 rounded-md bg-surface px-2.5 shadow-raised ring-1 ring-inset data-hovered:bg-hover data-pressed:bg-sunken ${chosen === null ? 'ring-line-strong' : 'ring-accent'}`}
      >
        <SelectValue className="truncate [&_[slot=mark]]:hidden" />
        <ChevronDown aria-hidden className="size-3.5 shrink-0 text-muted" />
      </Button>
      <Popover
        offset={4}
        placement="bottom end"
        className="w-max max-w-[min(22rem,90vw)] min-w-(--trigger-width) overflow-auto rounded-lg bg-surface p-1 shadow-overlay"
      >
        <ListBox items={[{ id: ALL, name: allLabel }, ...items]} className="outline-none">
          {(item: FilterOption) => (
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
                  {item.icon}
                  <span className="truncate">{item.name}</span>
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}
