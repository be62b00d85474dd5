import { Plus, Workflow } from 'lucide-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import { useApp } from '#renderer/app-context.tsx';
import { createWorkflowsStore } from '#renderer/stores/workflows.ts';
import { text } from '#renderer/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Page } from '#renderer/ui/page.tsx';
import { useOpenStore } from '#renderer/use-open-store.ts';
import { NewWorkflow } from '#renderer/workflows/new-workflow.tsx';
import { WorkflowsSkeleton, WorkflowsTable } from '#renderer/workflows/workflows-table.tsx';

export function WorkflowsPage() {
  const { client, live } = useApp();
  const store = useOpenStore(() => createWorkflowsStore(client, live), [client, live]);
  const { workflows, hasMore, error } = useStore(store);
  const [creating, setCreating] = useState(false);
  const isEmpty = workflows?.length === 0;
  const create = (
    <Button look="primary" onPress={() => setCreating(true)}>
      <Plus aria-hidden className="size-4" />
      {text.workflows.create}
    </Button>
  );

  return (
    <Page title={text.workflows.title} actions={workflows === null || isEmpty ? null : create}>
      <Failure error={error}>
        <Button size="small" onPress={store.refresh} className="justify-self-start">
          {text.app.tryAgain}
        </Button>
      </Failure>
      {workflows === null && error === null ? <WorkflowsSkeleton /> : null}
      {isEmpty ? (
        <EmptyState
          icon={Workflow}
          title={text.workflows.emptyTitle}
          hint={text.workflows.emptyHint}
        >
          {create}
        </EmptyState>
      ) : null}
      {workflows === null || isEmpty ? null : <WorkflowsTable workflows={workflows} />}
      {hasMore ? (
        <Button onPress={store.showMore} className="self-center">
          {text.workflows.more}
        </Button>
      ) : null}
      <NewWorkflow
        isOpen={creating}
        onClose={() => setCreating(false)}
        onCreated={() => {
          setCreating(false);
          store.refresh();
        }}
      />
    </Page>
  );
}
