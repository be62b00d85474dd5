import type { GrantView, WorkflowGrants } from '#shared/api/settings.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { ConfirmAction } from '#renderer/ui/feedback/confirm-action.tsx';

const TEXT = text.settings.grants;

interface Props {
  readonly workflow: WorkflowGrants;
  /** Null keeps the dialog closed. */
  readonly grant: GrantView | null;
  readonly onClose: () => void;
  readonly onRevoked: () => void;
}

export function RevokeGrant({ workflow, grant, onClose, onRevoked }: Props) {
  const { client } = useApp();
  const { workflowId, name } = workflow;
  return (
    <Sheet
      title={TEXT.revokeTitle(grant?.tool ?? '', name)}
      isOpen={grant !== null}
      onClose={onClose}
    >
      {grant ? (
        <ConfirmAction
          warning={TEXT.revokeWarning}
          submitLabel={TEXT.revokeSubmit}
          action={() => client.call('grants.revoke', { workflowId, tool: grant.tool })}
          onDone={onRevoked}
          onClose={onClose}
        >
          <p className="text-muted">{grant.description}</p>
        </ConfirmAction>
      ) : null}
    </Sheet>
  );
}
