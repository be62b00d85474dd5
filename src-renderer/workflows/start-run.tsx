// Starts a run of a workflow: the button, and under the row what came of it.
import { Play } from 'lucide-react';
import { useState } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { startRequest } from '#shared/start-request.ts';
import { useApp } from '#renderer/app-context.tsx';
import { href } from '#renderer/router.ts';
import { text } from '#renderer/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { useAct } from '#renderer/use-act.ts';

export function StartRun({ workflow }: { readonly workflow: WorkflowView }) {
  const { client, router } = useApp();
  const [activeRunId, setActiveRunId] = useState<string | null>(null);
  const start = useAct({
    idFor: 'click',
    act: async (requestId) => {
      try {
        return await client.call('runs.start', {
          workflowId: workflow.id,
          startRequestId: startRequest.manual(requestId),
        });
      } catch (error) {
        // The row may not have heard yet of the run that is in the way.
        setActiveRunId(await activeRunOf(workflow.id).catch(() => workflow.activeRunId));
        throw error;
      }
    },
    onDone: ({ run }) => router.navigate(href.run(run.id)),
  });

  const activeRunOf = async (workflowId: string): Promise<string | null> =>
    (await client.call('workflows.get', { workflowId })).activeRunId;

  return (
    <>
      <span
        role="cell"
        className="col-start-2 row-start-1 justify-self-end lg:col-start-auto lg:row-start-auto"
      >
        <Button size="small" isPending={start.pending} onPress={start.perform}>
          <Play aria-hidden className="size-3.5" />
          {start.pending ? text.workflows.starting : text.workflows.start}
          <span className="sr-only">{text.workflows.startOf(workflow.name)}</span>
        </Button>
      </span>
      {/* A cell, so that the row stays a row. */}
      <span role="cell" className={start.error === null ? 'sr-only' : 'col-span-full pb-1'}>
        <Failure error={start.error}>
          {start.error?.type === 'conflict' && activeRunId !== null ? (
            <Link
              to={href.run(activeRunId)}
              className="justify-self-start rounded-sm font-medium underline"
            >
              {text.workflows.openActiveRun}
            </Link>
          ) : null}
        </Failure>
      </span>
    </>
  );
}
