import type { GrantView, WorkflowGrants } from '#shared/api/settings.ts';
import { useApp } from '#renderer/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Confirm } from '#renderer/ui/confirm.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { useAct } from '#renderer/use-act.ts';

const WORDS = text.settings.grants;

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
      title={WORDS.revokeTitle(grant?.tool ?? '', workflow.name)}
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
  const revoke = useAct({
    idFor: 'form',
    act: () => client.call('grants.revoke', { workflowId, tool: grant.tool }),
    onDone: () => {
      onClose();
      onRevoked();
    },
  });
  return (
    <Confirm
      warning={WORDS.revokeWarning}
      submit={WORDS.revokeSubmit}
      act={revoke}
      onCancel={onClose}
    >
      <p className="text-muted">{grant.description}</p>
    </Confirm>
  );
}
