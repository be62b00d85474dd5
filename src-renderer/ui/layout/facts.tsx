// Name-value pairs in a panel.
import type { ReactNode } from 'react';

interface FactsProps {
  /** For values that are sentences. */
  readonly isSingleColumn?: boolean;
  /** Two columns: only at medium width, or always if there is room. */
  readonly columns?: 'between' | 'always';
  readonly children: ReactNode;
}

const COLUMNS = {
  between: 'sm:max-lg:grid-cols-2',
  always: 'sm:grid-cols-2 [--names:6.5rem]',
} as const;

export function Facts({ isSingleColumn = false, columns = 'between', children }: FactsProps) {
  return (
    <dl
      className={`grid gap-x-6 gap-y-1.5 text-[0.8125rem] ${isSingleColumn ? 'sm:[--names:7rem]' : COLUMNS[columns]}`}
    >
      {children}
    </dl>
  );
}

interface FactProps {
  readonly name: string;
  readonly title?: string;
  readonly children: ReactNode;
}

export function Fact({ name, title, children }: FactProps) {
  return (
    <div className="grid grid-cols-[var(--names,5.5rem)_minmax(0,1fr)] gap-x-3">
      <dt className="text-muted">{name}</dt>
      <dd title={title} className="tabular wrap-anywhere">
        {children}
      </dd>
    </div>
  );
}
