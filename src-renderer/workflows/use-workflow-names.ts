// Workflows with unique names and their topics, for select fields.
import { useMemo } from 'react';
import { useStore } from 'zustand';
import type { WorkflowView } from '#shared/api/contract.ts';
import { disambiguateNames } from '#renderer/format/disambiguate-names.ts';
import { sharedStore } from '#renderer/stores/shared-store.ts';
import { createWorkflowsStore } from '#renderer/stores/workflows-store.ts';

const useWorkflowsStore = sharedStore((client, feed) =>
  createWorkflowsStore(client, feed, 'names'),
);

export function useWorkflowNames(): readonly WorkflowView[] {
  const workflows = useStore(useWorkflowsStore(), (state) => state.workflows);
  return useMemo(() => disambiguateNames(workflows ?? []), [workflows]);
}
