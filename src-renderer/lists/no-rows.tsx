// Empty states of a list: no matches, with a link to the full list, or nothing yet, with a link to
// where rows come from.
import { SearchX, type LucideIcon } from 'lucide-react';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Link } from '#renderer/ui/link.tsx';

interface Props {
  readonly isFiltered: boolean;
  readonly words: {
    readonly noMatchTitle: string;
    readonly noMatchHint: string;
    readonly clearFilters: string;
    readonly emptyTitle: string;
    readonly emptyHint: string;
  };
  /** URL of the list without filters. */
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
