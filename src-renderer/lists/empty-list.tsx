// What stands in place of a list without rows: nothing that matches, with the way back to all of it,
// or nothing at all yet, with the way to where some come from.
import { SearchX, type LucideIcon } from 'lucide-react';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Link } from '#renderer/ui/buttons/link.tsx';

interface Props {
  readonly isFiltered: boolean;
  readonly words: {
    readonly noMatchTitle: string;
    readonly noMatchHint: string;
    readonly clearFilters: string;
    readonly emptyTitle: string;
    readonly emptyHint: string;
  };
  /** The list without filters. */
  readonly all: string;
  readonly icon: LucideIcon;
  readonly next: { readonly to: string; readonly name: string };
}

export function NoRows({ isFiltered, words, all, icon, next }: Props) {
  const link = 'rounded-sm font-medium text-accent hover:underline';
  return isFiltered ? (
    <EmptyState icon={SearchX} title={words.noMatchTitle} hint={words.noMatchHint}>
      <Link to={all} className={link}>
        {words.clearFilters}
      </Link>
    </EmptyState>
  ) : (
    <EmptyState icon={icon} title={words.emptyTitle} hint={words.emptyHint}>
      <Link to={next.to} className={link}>
        {next.name}
      </Link>
    </EmptyState>
  );
}
