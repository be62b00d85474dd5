// A filter menu. The first item means "all".
import { ChevronDown } from 'lucide-react';
import { Button, Select, SelectValue } from 'react-aria-components';
import { SelectOptions, type SelectOption } from '#renderer/ui/fields/select-options.tsx';

interface Props {
  readonly label: string;
  readonly allLabel: string;
  readonly items: readonly SelectOption[];
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
      <SelectOptions
        items={[{ id: ALL, name: allLabel }, ...items]}
        placement="bottom end"
        className="w-max max-w-[min(22rem,90vw)]"
      />
    </Select>
  );
}
