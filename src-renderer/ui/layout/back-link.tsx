import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from '#renderer/ui/buttons/link.tsx';

/** Link to the parent page, above the title. */
export function BackLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link
      to={to}
      className="-ml-1 inline-flex items-center gap-0.5 justify-self-start rounded-sm text-[0.8125rem] text-muted hover:text-ink"
    >
      <ChevronLeft aria-hidden className="size-4" />
      {children}
    </Link>
  );
}
