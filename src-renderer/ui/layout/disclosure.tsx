// A section that is collapsed by default.
import { ChevronRight } from 'lucide-react';
import { useState, type ReactNode } from 'react';

interface Props {
  readonly label: string;
  /** Hidden context for screen readers. */
  readonly subject?: string;
  readonly children: ReactNode;
}

/** Content is mounted only while open, so that large values cost nothing. */
export function Disclosure({ label, subject, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="group"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="flex w-fit cursor-default list-none items-center gap-1 rounded-sm text-muted hover:text-ink">
        <ChevronRight aria-hidden className="size-3.5 group-open:rotate-90" />
        {label}
        {subject === undefined ? null : <span className="sr-only"> {subject}</span>}
      </summary>
      {isOpen ? <div className="mt-1.5">{children}</div> : null}
    </details>
  );
}
