import { Button as AriaButton, type ButtonProps } from 'react-aria-components';

export const BUTTON_VARIANTS = {
  primary:
    'bg-accent-fill text-on-accent shadow-raised data-hovered:bg-accent-fill-hover data-pressed:bg-accent-fill-hover',
  secondary:
    'bg-surface text-ink shadow-raised ring-1 ring-inset ring-line-strong data-hovered:bg-hover data-pressed:bg-sunken',
  quiet: 'text-muted data-hovered:bg-hover data-hovered:text-ink data-pressed:bg-sunken',
  danger: 'bg-bad text-canvas shadow-raised data-hovered:opacity-90 data-pressed:opacity-90',
} as const;

export const BUTTON_SIZES = { small: 'h-7 px-2.5 text-[0.8125rem]', medium: 'h-8 px-3' } as const;

export const BUTTON_SHAPE =
  'inline-flex shrink-0 cursor-default items-center justify-center gap-1.5 font-medium whitespace-nowrap transition-colors duration-100';

interface Props extends Omit<ButtonProps, 'className'> {
  readonly variant?: keyof typeof BUTTON_VARIANTS;
  readonly size?: keyof typeof BUTTON_SIZES;
  /** For buttons that float above a list. */
  readonly isRound?: boolean;
  readonly className?: string;
}

/** While pending, the button can't be pressed but keeps the focus. */
export function Button({
  variant = 'secondary',
  size = 'medium',
  isRound = false,
  className = '',
  ...rest
}: Props) {
  return (
    <AriaButton
      {...rest}
      className={`${BUTTON_SHAPE} data-disabled:opacity-50 data-pending:opacity-60 ${isRound ? 'rounded-full' : 'rounded-md'} ${BUTTON_SIZES[size]} ${BUTTON_VARIANTS[variant]} ${className}`}
    />
  );
}
