import { FilePlus2, Plus } from 'lucide-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import { useApp } from '#renderer/shell/app-context.tsx';
import { href } from '#renderer/navigation/router.ts';
import { createWorkflowsStore } from '#renderer/stores/workflows-store.ts';
import { text } from '#renderer/text/text.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { useOpenStore } from '#renderer/stores/use-open-store.ts';
import { AddWorkflow } from '#renderer/workflows/add-workflow.tsx';
import { FirstWorkflow } from '#renderer/workflows/first-workflow.tsx';
import { useDeviceLabels } from '#renderer/workflows/ownership/use-device-labels.ts';
import { WaitingForDevicesNotice } from '#renderer/workflows/waiting-for-devices-notice.tsx';
import { RestoredNotice } from '#renderer/workflows/restored-notice.tsx';
import { WorkflowCard } from '#renderer/workflows/workflow-card.tsx';

export function WorkflowsPage() {
  const { client, feed, router } = useApp();
  const devices = useDeviceLabels();
  const store = useOpenStore(() => createWorkflowsStore(client, feed), [client, feed]);
  const { workflows, hasMore, error } = useStore(store);
  const [isAdding, setIsAdding] = useState(false);
  const isEmpty = workflows?.length === 0;
  const add = (
    <>
      <Button onPress={() => setIsAdding(true)}>
        <Plus aria-hidden className="size-4" />
        {text.workflows.add}
      </Button>
      <Button variant="primary" onPress={() => router.navigate(href.newWorkflow())}>
        <FilePlus2 aria-hidden className="size-4" />
        {workflowText.create.newButton}
      </Button>
    </>
  );

  return (
    <Page title={text.workflows.title} actions={workflows === null || isEmpty ? null : add}>
      <WaitingForDevicesNotice />
      <RestoredNotice />
      <Failure error={error} onRetry={store.refresh} />
      {workflows === null && error === null ? (
        <PageSkeleton label={text.workflows.loading} />
      ) : null}
      {isEmpty ? (
        <FirstWorkflow>
          <span className="flex flex-wrap gap-2">{add}</span>
        </FirstWorkflow>
      ) : null}
      {workflows === null || isEmpty ? null : (
        <ul aria-label={text.workflows.title} className="grid gap-3">
          {workflows.map((workflow) => (
            <li key={workflow.id}>
              <WorkflowCard workflow={workflow} devices={devices} onChanged={store.refresh} />
            </li>
          ))}
        </ul>
      )}
      {hasMore ? (
        <Button onPress={store.showMore} className="self-center">
          {text.workflows.more}
        </Button>
      ) : null}
      <AddWorkflow isOpen={isAdding} onClose={() => setIsAdding(false)} onAdded={store.refresh} />
    </Page>
  );
}
