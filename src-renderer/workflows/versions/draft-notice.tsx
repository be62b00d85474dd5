// Notice of a draft, with a button to activate it.
import { FilePen } from 'lucide-react';
import { useState } from 'react';
import type { CallOutput, WorkflowView } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { href } from '#renderer/navigation/router.ts';
import { text } from '#renderer/text/text.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { ActionButton } from '#renderer/workflows/action-button.tsx';

interface Props {
  readonly workflow: WorkflowView;
  readonly onChanged: () => void;
  /** True if the changes are already visible. */
  readonly isBesideDiff?: boolean;
}

export function DraftNotice({ workflow, onChanged, isBesideDiff = false }: Props) {
  const { client } = useApp();
  const [isWaiting, setWaiting] = useState(false);
  const onDone = ({ waiting }: CallOutput<'workflows.activate'>): void => {
    setWaiting(waiting ?? false);
    onChanged();
  };
  const workflowId = workflow.id;
  const activate = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('workflows.activate', { workflowId }),
    onDone,
  });
  const activateAnyway = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('workflows.activate', { workflowId, leaveBehind: true }),
    onDone,
  });
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 rounded-md bg-active-tint px-3 py-2 text-[0.8125rem] text-active">
        <span className="flex flex-wrap items-center gap-x-2 font-medium">
          <FilePen aria-hidden className="size-4 shrink-0" />
          {text.workflows.draft}
          {isBesideDiff ? null : (
            <Link to={href.workflow(workflow.id, 'versions')} className="rounded-sm underline">
              {workflowText.page.seeDraft}
              <span className="sr-only">{text.workflows.of(workflow.name)}</span>
            </Link>
          )}
        </span>
        <ActionButton
          action={activate}
          label={text.workflows.activate}
          pendingLabel={text.workflows.activating}
          subject={workflow.name}
        />
      </div>
      <p role="status" className="text-[0.8125rem] text-muted empty:hidden">
        {isWaiting ? workflowText.versions.waiting : null}
      </p>
      <Failure error={activate.error}>
        {activate.error?.reason === 'leaves_behind' ? (
          <ActionButton
            action={activateAnyway}
            label={text.workflows.activateAnyway}
            pendingLabel={text.workflows.activating}
            subject={workflow.name}
          />
        ) : null}
      </Failure>
      <Failure error={activateAnyway.error} />
    </div>
  );
}
