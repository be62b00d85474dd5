// A search field. Debounced.
import { Search, X } from 'lucide-react';
import { useEffect, useRef, useState, type Ref } from 'react';
import { Button, Input, SearchField } from 'react-aria-components';
import { ShortcutKeys } from '#renderer/ui/display/shortcut-keys.tsx';

/** Pause after the last key before the search runs. */
const DEBOUNCE_MS = 150;

interface Props {
  readonly label: string;
  readonly value: string;
  readonly maxLength?: number;
  readonly onSearch: (text: string) => void;
  readonly ref?: Ref<HTMLInputElement>;
  readonly keys?: string;
  readonly clearLabel: string;
  readonly className?: string;
}

export function SearchInput(props: Props) {
  const { label, value, maxLength, onSearch, ref, keys, clearLabel, className = '' } = props;
  const [typed, setTyped] = useState(value);
  const [given, setGiven] = useState(value);
  const latest = useRef(onSearch);
  useEffect(() => {
    latest.current = onSearch;
  });
  // The URL changed elsewhere: Back, a link or a cleared filter.
  if (given !== value) {
    setGiven(value);
    if (typed.trim() !== value) setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => latest.current(typed.trim()), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);

  return (
    <SearchField
      aria-label={label}
      value={typed}
      onChange={setTyped}
      onSubmit={(text) => onSearch(text.trim())}
      onClear={() => onSearch('')}
      {...(maxLength === undefined ? {} : { maxLength })}
      className={`group relative flex h-8 items-center ${className}`}
    >
      <Search aria-hidden className="pointer-events-none absolute left-2.5 size-3.5 text-muted" />
      <Input
        {...(ref === undefined ? {} : { ref })}
        placeholder={label}
        className="h-8 w-full rounded-md bg-surface pr-8 pl-8 shadow-raised ring-1 ring-line-strong ring-inset placeholder:text-muted data-focused:ring-2 data-focused:ring-accent data-focused:outline-none [&::-webkit-search-cancel-button]:hidden"
      />
      {typed === '' ? (
        keys === undefined ? null : (
          <ShortcutKeys
            keys={keys}
            className="pointer-events-none absolute right-2 group-focus-within:hidden"
          />
        )
      ) : (
        <Button
          aria-label={clearLabel}
          className="absolute right-1 grid size-6 place-items-center rounded text-muted data-hovered:bg-hover data-hovered:text-ink"
        >
          <X aria-hidden className="size-3.5" />
        </Button>
      )}
    </SearchField>
  );
}
