// The search field of a list, focused with `/`.
import { useRef } from 'react';
import { usePageCommand } from '#renderer/commands/command-registry.ts';
import { SearchInput } from '#renderer/ui/fields/search-input.tsx';

interface Props {
  readonly commandId: string;
  readonly text: { readonly find: string; readonly clearSearch: string };
  readonly value: string | undefined;
  readonly maxLength: number;
  /** Undefined if the field was cleared. */
  readonly onSearch: (words: string | undefined) => void;
}

export function ListSearch({ commandId, text, value, maxLength, onSearch }: Props) {
  const input = useRef<HTMLInputElement>(null);
  usePageCommand({
    id: commandId,
    name: text.find,
    keys: '/',
    isHarmless: true,
    run: () => input.current?.focus(),
  });
  return (
    <SearchInput
      ref={input}
      label={text.find}
      clearLabel={text.clearSearch}
      value={value ?? ''}
      maxLength={maxLength}
      keys="/"
      onSearch={(words) => onSearch(words === '' ? undefined : words)}
      className="min-w-52 flex-1 lg:max-w-72"
    />
  );
}
