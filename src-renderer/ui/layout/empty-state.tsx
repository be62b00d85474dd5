import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface Props {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly hint: string;
  /** Less padding, for use above other content. */
  readonly isCompact?: boolean;
  readonly children?: ReactNode;
}

export function EmptyState({ icon: Icon, title, hint, isCompact = false, children }: Props) {
  return (
    <section
      className={`mx-auto grid max-w-md justify-items-center gap-2 px-4 text-center ${isCompact ? 'py-[4vh]' : 'py-[12vh]'}`}
    >
      <span className="mb-2 grid size-11 place-items-center rounded-xl bg-surface text-accent shadow-raised ring-1 ring-line">
        <Icon aria-hidden className="size-5" />
      </span>
      <h2 className="text-[0.9375rem] font-semibold">{title}</h2>
      <p className="text-balance wrap-anywhere text-muted">{hint}</p>
      <div className="mt-3 max-w-full empty:hidden">{children}</div>
    </section>
  );
}
