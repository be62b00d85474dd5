// Asks for confirmation before something that can't be undone.
import { TriangleAlert } from 'lucide-react';
import type { FormEvent, ReactNode } from 'react';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import type { IdempotentAction } from '#renderer/client/use-idempotent-action.ts';

interface Props {
  readonly warning: string;
  readonly submitLabel: string;
  readonly action: IdempotentAction;
  readonly onCancel: () => void;
  readonly children?: ReactNode;
}

/** Use inside a `Sheet`. Cancel has the focus, so that a habitual Enter does nothing. */
export function Confirm({ warning, submitLabel, action, onCancel, children }: Props) {
  const confirm = (event: FormEvent): void => {
    event.preventDefault();
    action.perform();
  };
  return (
    <form onSubmit={confirm} className="grid gap-4 px-5 pt-3 pb-5">
      {children}
      <p className="flex gap-2.5 rounded-md bg-bad-tint px-3 py-2.5 text-bad">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        {warning}
      </p>
      <Failure error={action.error} />
      <div className="flex flex-wrap justify-end gap-2">
        {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the harmless choice. */}
        <Button onPress={onCancel} autoFocus>
          {text.app.cancel}
        </Button>
        <Button type="submit" variant="danger" isPending={action.isPending}>
          {submitLabel}
        </Button>
      </div>
    </form>
  );
}
