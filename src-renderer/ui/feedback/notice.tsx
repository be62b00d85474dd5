// A highlighted message with an icon.
import { CircleAlert, CirclePause, Info, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

const TONES = {
  wait: { icon: CirclePause, className: 'bg-wait-tint text-wait' },
  bad: { icon: CircleAlert, className: 'bg-bad-tint text-bad' },
  plain: { icon: Info, className: 'bg-active-tint text-active' },
} as const satisfies Record<string, { readonly icon: LucideIcon; readonly className: string }>;

interface Props {
  readonly tone: keyof typeof TONES;
  readonly children: ReactNode;
}

export function Notice({ tone, children }: Props) {
  const { icon: Icon, className } = TONES[tone];
  return (
    <div className={`flex gap-2.5 rounded-md px-3 py-2.5 text-[0.8125rem] ${className}`}>
      <Icon aria-hidden className="mt-px size-4 shrink-0" />
      <div className="grid min-w-0 justify-items-start gap-1.5 wrap-anywhere">{children}</div>
    </div>
  );
}
