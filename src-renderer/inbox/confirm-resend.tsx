// Confirms sending again when the outcome can't be checked.
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { DecisionControls } from '#renderer/inbox/use-decision.ts';
import { text } from '#renderer/text/text.ts';
import { Confirm } from '#renderer/ui/feedback/confirm.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly mutation: MutationView;
  readonly title: string;
  readonly deciding: DecisionControls;
  readonly onSend: () => void;
  readonly onClose: () => void;
}

export function ConfirmResend({ isOpen, mutation, title, deciding, onSend, onClose }: Props) {
  const isPending = deciding.pending === 'user_retry';
  return (
    <Sheet title={text.sendAgain.title} isOpen={isOpen} onClose={onClose}>
      <Confirm
        warning={text.sendAgain.warning}
        submitLabel={isPending ? text.sendAgain.submitting : text.sendAgain.submit}
        action={{ perform: onSend, isPending, error: deciding.error }}
        onCancel={onClose}
      >
        <div className="grid gap-1">
          <p className="font-medium wrap-anywhere">{title}</p>
          {mutation.title === '' ? null : (
            <p className="wrap-anywhere text-muted">{mutation.title}</p>
          )}
        </div>
        {mutation.lookByHand === '' ? null : (
          <p className="wrap-anywhere">
            {text.sendAgain.look} {mutation.lookByHand}
          </p>
        )}
      </Confirm>
    </Sheet>
  );
}
