import type { ReactNode } from 'react';

interface Props {
  readonly name: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A small heading above its content. */
export function Labelled({ name, className = '', children }: Props) {
  return (
    <div className={`grid gap-1 ${className}`}>
      <h3 className="text-xs font-medium text-muted">{name}</h3>
      {children}
    </div>
  );
}
