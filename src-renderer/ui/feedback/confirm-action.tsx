// Asks for confirmation, then performs one action.
import type { ReactNode } from 'react';
import { useDialogAction, type DialogActionOptions } from '#renderer/client/use-dialog-action.ts';
import { Confirm } from '#renderer/ui/feedback/confirm.tsx';

interface Props<Output> extends DialogActionOptions<Output> {
  readonly warning: string;
  readonly submitLabel: string;
  /** Shown instead while the action runs. */
  readonly pendingLabel?: string;
  readonly children?: ReactNode;
}

/** Use inside a `Sheet`. */
export function ConfirmAction<Output>(props: Props<Output>) {
  const { warning, submitLabel, pendingLabel = submitLabel, onClose, children } = props;
  const action = useDialogAction(props);
  return (
    <Confirm
      warning={warning}
      submitLabel={action.isPending ? pendingLabel : submitLabel}
      action={action}
      onCancel={onClose}
    >
      {children}
    </Confirm>
  );
}
