// The workflows to choose from, by names that tell them apart, with the topics of each.
import { useMemo } from 'react';
import { useStore } from 'zustand';
import type { WorkflowView } from '#shared/api/contract.ts';
import { useApp } from '#renderer/app-context.tsx';
import { toldApart } from '#renderer/lists/told-apart.ts';
import { createWorkflowsStore } from '#renderer/stores/workflows.ts';
import { useOpenStore } from '#renderer/use-open-store.ts';

export function useWorkflowNames(): readonly WorkflowView[] {
  const { client, live } = useApp();
  const store = useOpenStore(() => createWorkflowsStore(client, live, 'names'), [client, live]);
  const workflows = useStore(store, (state) => state.workflows);
  return useMemo(() => toldApart(workflows ?? []), [workflows]);
}
