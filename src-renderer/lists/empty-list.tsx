// Empty states of a list: no matches, with a link to the full list, or nothing yet, with a link to
// where rows come from.
import { SearchX, type LucideIcon } from 'lucide-react';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Link } from '#renderer/ui/buttons/link.tsx';

interface Props {
  readonly isFiltered: boolean;
  readonly text: {
    readonly noMatchTitle: string;
    readonly noMatchHint: string;
    readonly clearFilters: string;
    readonly emptyTitle: string;
    readonly emptyHint: string;
  };
  /** URL of the list without filters. */
  readonly allHref: string;
  readonly icon: LucideIcon;
  readonly suggestion: { readonly to: string; readonly name: string };
}

export function EmptyList({ isFiltered, text, allHref, icon, suggestion }: Props) {
  const link = 'rounded-sm font-medium text-accent hover:underline';
  return isFiltered ? (
    <EmptyState icon={SearchX} title={text.noMatchTitle} hint={text.noMatchHint}>
      <Link to={allHref} className={link}>
        {text.clearFilters}
      </Link>
    </EmptyState>
  ) : (
    <EmptyState icon={icon} title={text.emptyTitle} hint={text.emptyHint}>
      <Link to={suggestion.to} className={link}>
        {suggestion.name}
      </Link>
    </EmptyState>
  );
}
