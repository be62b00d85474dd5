// Empty states of a list: no matches, with a link to the full list, or nothing yet, with a link to
// where rows come from.
import { SearchX, type LucideIcon } from 'lucide-react';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { TextLink } from '#renderer/ui/buttons/text-link.tsx';

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
  return isFiltered ? (
    <EmptyState icon={SearchX} title={text.noMatchTitle} hint={text.noMatchHint}>
      <TextLink to={allHref} className="font-medium">
        {text.clearFilters}
      </TextLink>
    </EmptyState>
  ) : (
    <EmptyState icon={icon} title={text.emptyTitle} hint={text.emptyHint}>
      <TextLink to={suggestion.to} className="font-medium">
        {suggestion.name}
      </TextLink>
    </EmptyState>
  );
}
