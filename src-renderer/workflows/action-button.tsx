// A small button for one action on a workflow, with its error below.
import type { LucideIcon } from 'lucide-react';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import type { IdempotentAction } from '#renderer/client/use-idempotent-action.ts';

interface Props {
  readonly action: IdempotentAction;
  readonly label: string;
  readonly pendingLabel: string;
  /** Hidden context for screen readers. */
  readonly subject: string;
  readonly icon?: LucideIcon;
}

export function ActionButton({ action, label, pendingLabel, subject, icon: Icon }: Props) {
  return (
    <Button size="small" isPending={action.isPending} onPress={action.perform}>
      {Icon ? <Icon aria-hidden className="size-3.5" /> : null}
      {action.isPending ? pendingLabel : label}
      <span className="sr-only">{text.workflows.of(subject)}</span>
    </Button>
  );
}
