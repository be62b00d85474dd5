// Notice of a draft, with a button to activate it.
import { FilePen } from 'lucide-react';
import { useState } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { useApp } from '#renderer/app-context.tsx';
import { href } from '#renderer/router.ts';
import { text } from '#renderer/text/text.ts';
import { flowText } from '#renderer/text/workflows-text.ts';
import { Failure } from '#renderer/ui/failure.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { useAct } from '#renderer/use-act.ts';
import { ActButton } from '#renderer/workflows/act-button.tsx';

interface Props {
  readonly workflow: WorkflowView;
  readonly onActed: () => void;
  /** True if the changes are already visible. */
  readonly isBesideChanges?: boolean;
}

export function DraftNotice({ workflow, onActed, isBesideChanges = false }: Props) {
  const { client } = useApp();
  const [isWaiting, setWaiting] = useState(false);
  const act = useAct({
    idFor: 'click',
    act: () => client.call('workflows.activate', { workflowId: workflow.id }),
    onDone: ({ waiting }) => {
      setWaiting(waiting ?? false);
      onActed();
    },
  });
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 rounded-md bg-active-tint px-3 py-2 text-[0.8125rem] text-active">
        <span className="flex flex-wrap items-center gap-x-2 font-medium">
          <FilePen aria-hidden className="size-4 shrink-0" />
          {text.workflows.draft}
          {isBesideChanges ? null : (
            <Link to={href.workflow(workflow.id, 'versions')} className="rounded-sm underline">
              {flowText.page.seeDraft}
              <span className="sr-only">{text.workflows.of(workflow.name)}</span>
            </Link>
          )}
        </span>
        <ActButton
          act={act}
          word={text.workflows.activate}
          pendingWord={text.workflows.activating}
          of={workflow.name}
        />
      </div>
      <p role="status" className="text-[0.8125rem] text-muted empty:hidden">
        {isWaiting ? flowText.versions.waiting : null}
      </p>
      <Failure error={act.error} />
    </div>
  );
}
