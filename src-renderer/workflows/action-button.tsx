// A small button for one act on a workflow; what went wrong is said under it.
import type { ReactNode } from 'react';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import type { IdempotentAction } from '#renderer/client/use-idempotent-action.ts';

interface Props {
  readonly act: IdempotentAction;
  readonly word: string;
  readonly pendingWord: string;
  /** What it is of, for those who hear it out of its place. */
  readonly of: string;
  readonly icon?: ReactNode;
  readonly look?: 'primary' | 'secondary';
}

export function ActButton({ act, word, pendingWord, of, icon, look = 'secondary' }: Props) {
  return (
    <Button size="small" look={look} isPending={act.isPending} onPress={act.perform}>
      {icon}
      {act.isPending ? pendingWord : word}
      <span className="sr-only">{text.workflows.of(of)}</span>
    </Button>
  );
}
