// A small button for one act on a workflow; what went wrong is said under it.
import type { ReactNode } from 'react';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import type { IdempotentAction } from '#renderer/client/use-idempotent-action.ts';

interface Props {
  readonly action: IdempotentAction;
  readonly label: string;
  readonly pendingLabel: string;
  /** What it is of, for those who hear it out of its place. */
  readonly subject: string;
  readonly icon?: ReactNode;
}

export function ActionButton({ action, label, pendingLabel, subject, icon }: Props) {
  return (
    <Button size="small" isPending={action.isPending} onPress={action.perform}>
      {icon}
      {action.isPending ? pendingLabel : label}
      <span className="sr-only">{text.workflows.of(subject)}</span>
    </Button>
  );
}
