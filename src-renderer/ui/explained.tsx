// An element with a tooltip on hover and focus.
import type { ReactNode } from 'react';
import { Button, Tooltip, TooltipTrigger } from 'react-aria-components';
import { ONLY_EXPLAINS } from '#renderer/ui/marks.ts';

interface Props {
  readonly sentence: string;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Explained({ sentence, className = '', children }: Props) {
  return (
    <TooltipTrigger delay={250} closeDelay={80}>
      <Button {...{ [ONLY_EXPLAINS]: '' }} className={`cursor-help rounded-full ${className}`}>
        {children}
      </Button>
      <Tooltip
        offset={6}
        className="max-w-72 rounded-md bg-ink px-2.5 py-1.5 text-[0.8125rem] text-canvas shadow-overlay"
      >
        {sentence}
      </Tooltip>
    </TooltipTrigger>
  );
}
