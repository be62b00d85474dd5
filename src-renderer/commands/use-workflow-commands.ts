// Palette commands for the pages of each workflow.
import { FileDiff, Network, PencilLine, Workflow, type LucideIcon } from 'lucide-react';
import { useApp } from '#renderer/shell/app-context.tsx';
import { useWorkflowNames } from '#renderer/workflows/use-workflow-names.ts';
import { href } from '#renderer/navigation/router.ts';
import type { Command } from '#renderer/commands/command-registry.ts';
import { shellText } from '#renderer/text/shell-text.ts';
import { WORKFLOW_TABS, type WorkflowTab } from '#renderer/navigation/workflow-route.ts';

const ICONS: Readonly<Record<WorkflowTab, LucideIcon>> = {
  overview: Workflow,
  graph: Network,
  versions: FileDiff,
  edit: PencilLine,
};

export function useWorkflowCommands(): readonly Command[] {
  const { router } = useApp();
  return useWorkflowNames().flatMap(({ id, name }) =>
    WORKFLOW_TABS.map((tab) => ({
      id: `workflow.${id}.${tab}`,
      name: shellText.palette.workflow[tab](name),
      group: 'workflow' as const,
      icon: ICONS[tab],
      keywords: tab === 'edit' ? 'editor code file' : '',
      isSearchOnly: true,
      run: () => router.navigate(href.workflow(id, tab)),
    })),
  );
}
