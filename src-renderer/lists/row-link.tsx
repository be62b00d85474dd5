import type { ReactNode } from 'react';
import { Link } from '#renderer/ui/buttons/link.tsx';

/** Covers the whole row, for a larger click target. */
export function RowLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link
      to={to}
      className="block truncate font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
    >
      {/* Isolates the text's direction, so that it starts at the same edge. */}
      <bdi>{children}</bdi>
    </Link>
  );
}
