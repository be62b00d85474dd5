import type { ReactNode } from 'react';
import { Radio } from 'react-aria-components';

interface Props {
  readonly value: string;
  /** The content has several lines; the mark is beside the first one. */
  readonly isTall?: boolean;
  readonly children: ReactNode;
}

/** One choice of a `RadioGroup`, in a frame. */
export function RadioOption({ value, isTall = false, children }: Props) {
  return (
    <Radio
      value={value}
      className={`group flex gap-3 rounded-md px-3 py-2 ring-1 ring-line ring-inset data-hovered:bg-hover data-selected:ring-2 data-selected:ring-accent ${isTall ? '' : 'items-center'}`}
    >
      <span
        aria-hidden
        className={`size-4 shrink-0 rounded-full ring-1 ring-line-strong ring-inset group-data-selected:bg-on-accent group-data-selected:ring-5 group-data-selected:ring-accent-fill ${isTall ? 'mt-0.5' : ''}`}
      />
      {children}
    </Radio>
  );
}
