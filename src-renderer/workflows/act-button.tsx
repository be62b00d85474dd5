// A small button for one action on a workflow, with its error below.
import type { ReactNode } from 'react';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import type { Act } from '#renderer/use-act.ts';

interface Props {
  readonly act: Act;
  readonly word: string;
  readonly pendingWord: string;
  /** Hidden context for screen readers. */
  readonly of: string;
  readonly icon?: ReactNode;
  readonly look?: 'primary' | 'secondary';
}

export function ActButton({ act, word, pendingWord, of, icon, look = 'secondary' }: Props) {
  return (
    <Button size="small" look={look} isPending={act.pending} onPress={act.perform}>
      {icon}
      {act.pending ? pendingWord : word}
      <span className="sr-only">{text.workflows.of(of)}</span>
    </Button>
  );
}
