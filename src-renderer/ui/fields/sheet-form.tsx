// A form in a dialog that performs one action.
import type { FormEvent, ReactNode } from 'react';
import { useDialogAction, type DialogActionOptions } from '#renderer/client/use-dialog-action.ts';
import { FormButtons } from '#renderer/ui/buttons/form-buttons.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';

interface Props<Output> extends DialogActionOptions<Output> {
  /** Called on submit. False doesn't send the form. */
  readonly validate?: () => boolean;
  readonly submitLabel: string;
  /** Shown instead while the action runs. */
  readonly pendingLabel?: string;
  /** Padding below the dialog's title. */
  readonly className: string;
  readonly children: ReactNode;
}

/** Use inside a `Sheet`. */
export function SheetForm<Output>(props: Props<Output>) {
  const { validate, submitLabel, pendingLabel = submitLabel, onClose, className, children } = props;
  const { perform, isPending, error } = useDialogAction(props);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (validate?.() ?? true) perform();
  };
  return (
    <form onSubmit={submit} className={`grid gap-4 px-5 pb-5 ${className}`}>
      {children}
      <Failure error={error} />
      <FormButtons
        submitLabel={isPending ? pendingLabel : submitLabel}
        isPending={isPending}
        onCancel={onClose}
      />
    </form>
  );
}
