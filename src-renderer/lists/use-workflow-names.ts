// Workflows with unique names and their topics, for select fields.
import { useMemo } from 'react';
import { useStore } from 'zustand';
import type { WorkflowView } from '#shared/api/contract.ts';
import { toldApart } from '#renderer/lists/told-apart.ts';
import { sharedStore } from '#renderer/shared-store.ts';
import { createWorkflowsStore } from '#renderer/stores/workflows.ts';

const useWorkflowsStore = sharedStore((client, live) =>
  createWorkflowsStore(client, live, 'names'),
);

export function useWorkflowNames(): readonly WorkflowView[] {
  const workflows = useStore(useWorkflowsStore(), (state) => state.workflows);
  return useMemo(() => toldApart(workflows ?? []), [workflows]);
}
