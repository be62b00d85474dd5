// An element with a tooltip on hover and focus.
import type { ReactNode } from 'react';
import { Button, Tooltip as AriaTooltip, TooltipTrigger } from 'react-aria-components';
import { TOOLTIP_ATTRIBUTE } from '#renderer/ui/buttons/data-attributes.ts';

interface Props {
  readonly content: string;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Tooltip({ content, className = '', children }: Props) {
  return (
    <TooltipTrigger delay={250} closeDelay={80}>
      <Button {...{ [TOOLTIP_ATTRIBUTE]: '' }} className={`cursor-help rounded-full ${className}`}>
        {children}
      </Button>
      <AriaTooltip
        offset={6}
        className="max-w-72 rounded-md bg-ink px-2.5 py-1.5 text-[0.8125rem] text-canvas shadow-overlay"
      >
        {content}
      </AriaTooltip>
    </TooltipTrigger>
  );
}
