// The one action of a dialog, which closes after it.
import {
  useIdempotentAction,
  type IdempotentAction,
  type IdempotentActionOptions,
} from '#renderer/client/use-idempotent-action.ts';

export interface DialogActionOptions<Output> extends Omit<
  IdempotentActionOptions<Output>,
  'idFor'
> {
  readonly onClose: () => void;
  /** The dialog shows something else after the action. */
  readonly staysOpen?: boolean;
}

export function useDialogAction<Output>(options: DialogActionOptions<Output>): IdempotentAction {
  const { action, onDone, onClose, staysOpen = false } = options;
  return useIdempotentAction({
    idFor: 'form',
    action,
    onDone: (output) => {
      if (!staysOpen) onClose();
      onDone(output);
    },
  });
}
