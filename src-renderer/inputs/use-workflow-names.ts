// The workflows to choose from in a form, with the topics of each.
import { useStore } from 'zustand';
import type { WorkflowView } from '#shared/api/contract.ts';
import { useApp } from '#renderer/app-context.tsx';
import { createWorkflowsStore } from '#renderer/stores/workflows.ts';
import { useOpenStore } from '#renderer/use-open-store.ts';

export function useWorkflowNames(): readonly WorkflowView[] {
  const { client, live } = useApp();
  const store = useOpenStore(() => createWorkflowsStore(client, live, 'names'), [client, live]);
  return useStore(store, (state) => state.workflows) ?? [];
}
