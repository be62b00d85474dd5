// A link styled as a button, for navigation.
import type { ReactNode } from 'react';
import { Link } from '#renderer/ui/link.tsx';
import { ACTS_AS_BUTTON } from '#renderer/ui/marks.ts';
import { BUTTON_LOOKS, BUTTON_SHAPE, BUTTON_SIZES } from '#renderer/ui/button.tsx';

interface Props {
  readonly to: string;
  readonly look?: keyof typeof BUTTON_LOOKS;
  readonly size?: keyof typeof BUTTON_SIZES;
  readonly children: ReactNode;
}

const HOVER = {
  primary: 'hover:bg-accent-fill-hover',
  secondary: 'hover:bg-hover',
  quiet: 'hover:bg-hover hover:text-ink',
  danger: 'hover:opacity-90',
} as const;

export function LinkButton({ to, look = 'secondary', size = 'usual', children }: Props) {
  return (
    <Link
      to={to}
      {...{ [ACTS_AS_BUTTON]: '' }}
      className={`${BUTTON_SHAPE} rounded-md ${BUTTON_SIZES[size]} ${BUTTON_LOOKS[look]} ${HOVER[look]}`}
    >
      {children}
    </Link>
  );
}
