// The popover of a select with its options.
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { ListBox, ListBoxItem, Popover, type PopoverProps } from 'react-aria-components';

export interface SelectOption {
  readonly id: string;
  readonly name: string;
  readonly icon?: ReactNode;
}

interface Props extends Pick<PopoverProps, 'placement'> {
  readonly items: readonly SelectOption[];
  readonly className: string;
}

export function SelectOptions({ items, className, ...popover }: Props) {
  return (
    <Popover
      {...popover}
      offset={4}
      className={`min-w-(--trigger-width) overflow-auto rounded-lg bg-surface p-1 shadow-overlay ${className}`}
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
                {item.icon}
                <span className="truncate">{item.name}</span>
              </>
            )}
          </ListBoxItem>
        )}
      </ListBox>
    </Popover>
  );
}
