// A link styled as a button, for navigation.
import type { ReactNode } from 'react';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { BUTTON_LINK_ATTRIBUTE } from '#renderer/ui/buttons/data-attributes.ts';
import { BUTTON_VARIANTS, BUTTON_SHAPE, BUTTON_SIZES } from '#renderer/ui/buttons/button.tsx';

interface Props {
  readonly to: string;
  readonly variant?: keyof typeof BUTTON_VARIANTS;
  readonly size?: keyof typeof BUTTON_SIZES;
  readonly children: ReactNode;
}

const HOVER_VARIANTS = {
  primary: 'hover:bg-accent-fill-hover',
  secondary: 'hover:bg-hover',
  quiet: 'hover:bg-hover hover:text-ink',
  danger: 'hover:opacity-90',
} as const;

export function LinkButton({ to, variant = 'secondary', size = 'medium', children }: Props) {
  return (
    <Link
      to={to}
      {...{ [BUTTON_LINK_ATTRIBUTE]: '' }}
      className={`${BUTTON_SHAPE} rounded-md ${BUTTON_SIZES[size]} ${BUTTON_VARIANTS[variant]} ${HOVER_VARIANTS[variant]}`}
    >
      {children}
    </Link>
  );
}
