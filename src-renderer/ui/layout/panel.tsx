import type { ReactNode } from 'react';

export function Panel({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <section className="rounded-lg bg-surface px-4 py-3 shadow-raised ring-1 ring-line">
      <h2 className="mb-2 text-[0.8125rem] font-semibold">{title}</h2>
      {children}
    </section>
  );
}
