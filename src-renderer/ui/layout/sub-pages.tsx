// Tabs of a page, each with its own URL.
import { Link } from '#renderer/ui/buttons/link.tsx';

interface Props {
  readonly label: string;
  readonly pages: readonly { readonly name: string; readonly to: string }[];
  readonly current: string;
}

export function SubPages({ label, pages, current }: Props) {
  return (
    <nav
      aria-label={label}
      className="-mb-px flex flex-wrap gap-x-1 gap-y-0.5 border-b border-line"
    >
      {pages.map(({ name, to }) => (
        <Link
          key={to}
          to={to}
          aria-current={to === current ? 'page' : undefined}
          className="-mb-px border-b-2 border-transparent px-3 py-1.5 font-medium text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
