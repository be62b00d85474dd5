import type { ReactNode } from 'react';
import { Link } from '#renderer/ui/buttons/link.tsx';

/** The whole row is the link's: a bigger thing to hit. */
export function RowLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link
      to={to}
      className="block truncate font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
    >
      {/* Of whichever direction, it begins where the others do. */}
      <bdi>{children}</bdi>
    </Link>
  );
}
