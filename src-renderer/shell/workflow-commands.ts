// Palette commands for the pages of each workflow.
import { FileDiff, Network, PencilLine, Workflow, type LucideIcon } from 'lucide-react';
import { useApp } from '#renderer/app-context.tsx';
import { useWorkflowNames } from '#renderer/lists/use-workflow-names.ts';
import { href } from '#renderer/router.ts';
import type { Action } from '#renderer/shell/actions.ts';
import { frame } from '#renderer/text/frame-text.ts';
import { WORKFLOW_TABS, type WorkflowTab } from '#renderer/workflows/workflow-route.ts';

const ICONS: Readonly<Record<WorkflowTab, LucideIcon>> = {
  overview: Workflow,
  graph: Network,
  versions: FileDiff,
  edit: PencilLine,
};

export function useWorkflowCommands(): readonly Action[] {
  const { router } = useApp();
  return useWorkflowNames().flatMap(({ id, name }) =>
    WORKFLOW_TABS.map((tab) => ({
      id: `workflow.${id}.${tab}`,
      name: frame.palette.workflow[tab](name),
      group: 'workflow' as const,
      icon: ICONS[tab],
      words: tab === 'edit' ? 'editor code file' : '',
      onlyFound: true,
      run: () => router.navigate(href.workflow(id, tab)),
    })),
  );
}
