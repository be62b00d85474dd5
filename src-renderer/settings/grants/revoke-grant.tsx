import type { GrantView, WorkflowGrants } from '#shared/api/settings.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Confirm } from '#renderer/ui/feedback/confirm.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

const TEXT = text.settings.grants;

interface Props {
  readonly workflow: WorkflowGrants;
  /** Null keeps the dialog closed. */
  readonly grant: GrantView | null;
  readonly onClose: () => void;
  readonly onRevoked: () => void;
}

export function RevokeGrant({ workflow, grant, onClose, onRevoked }: Props) {
  return (
    <Sheet
      title={TEXT.revokeTitle(grant?.tool ?? '', workflow.name)}
      isOpen={grant !== null}
      onClose={onClose}
    >
      {grant ? (
        <RevokeForm workflow={workflow} grant={grant} onClose={onClose} onRevoked={onRevoked} />
      ) : null}
    </Sheet>
  );
}

function RevokeForm({ workflow, grant, onClose, onRevoked }: Props & { grant: GrantView }) {
  const { client } = useApp();
  const { workflowId } = workflow;
  const revoke = useIdempotentAction({
    idFor: 'form',
    action: () => client.call('grants.revoke', { workflowId, tool: grant.tool }),
    onDone: () => {
      onClose();
      onRevoked();
    },
  });
  return (
    <Confirm
      warning={TEXT.revokeWarning}
      submitLabel={TEXT.revokeSubmit}
      action={revoke}
      onCancel={onClose}
    >
      <p className="text-muted">{grant.description}</p>
    </Confirm>
  );
}
