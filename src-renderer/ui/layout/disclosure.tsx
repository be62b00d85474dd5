// Something that most people need not see: behind a line that opens it.
import { ChevronRight } from 'lucide-react';
import { useState, type ReactNode } from 'react';

interface Props {
  readonly label: string;
  /** What it is of, for those who hear it out of its place. */
  readonly subject?: string;
  readonly children: ReactNode;
}

/** What is in it exists only while it is open: a megabyte that nobody asked for costs nothing. */
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
