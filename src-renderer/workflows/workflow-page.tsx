// One workflow with its tabs.
import { ListTree } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { EditTab } from '#renderer/editor/edit-tab.tsx';
import { hasUnsaved } from '#renderer/editor/unsaved-changes.ts';
import { href } from '#renderer/navigation/router.ts';
import { SLOW_REFRESH_INTERVAL_MS } from '#renderer/stores/refresher.ts';
import { workflowText, TAB_LABELS } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { WorkflowChip } from '#renderer/ui/display/status-chip.tsx';
import { OverviewTab } from '#renderer/workflows/overview-tab.tsx';
import { PauseWithReason } from '#renderer/workflows/pause-or-resume.tsx';
import { RecordPage } from '#renderer/ui/layout/record-page.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';
import { VersionsTab } from '#renderer/workflows/versions/versions-tab.tsx';
import {
  WORKFLOW_TABS,
  type GraphNode,
  type WorkflowTab,
} from '#renderer/navigation/workflow-route.ts';
import { workflowState } from '#renderer/workflows/workflow-state.ts';

/** Lazy, because of its layout library. */
const Graph = lazy(() => import('#renderer/workflows/graph/graph-tab.tsx'));

interface Props {
  readonly workflowId: string;
  readonly tab: WorkflowTab;
  readonly node: GraphNode | null;
}

export function WorkflowPage({ workflowId, tab, node }: Props) {
  const { answer, error, refresh } = useLiveCall(
    'workflows.get',
    { workflowId },
    { workflows: [workflowId], script_runs: 'any', handler_runs: 'any', events: 'any' },
    SLOW_REFRESH_INTERVAL_MS,
  );
  return (
    <RecordPage
      id={workflowId}
      record={answer}
      error={error}
      onRetry={refresh}
      text={workflowText.page}
      backTo={href.workflows()}
      fillHeight={tab === 'edit' || tab === 'graph' ? 'always' : undefined}
      title={answer?.name}
      beside={answer ? <WorkflowChip status={workflowState(answer)} /> : null}
      actions={answer ? <Actions workflow={answer} onChanged={refresh} /> : null}
    >
      {(workflow) => (
        <>
          <Tabs workflowId={workflowId} tab={tab} />
          <TabContent workflow={workflow} tab={tab} node={node} refresh={refresh} />
        </>
      )}
    </RecordPage>
  );
}

interface ActionsProps {
  readonly workflow: WorkflowView;
  readonly onChanged: () => void;
}

function Actions({ workflow, onChanged }: ActionsProps) {
  const { router } = useApp();
  return (
    <>
      <Button size="small" onPress={() => router.navigate(href.runs({ workflowId: workflow.id }))}>
        <ListTree aria-hidden className="size-3.5" />
        {workflowText.page.runs}
      </Button>
      <PauseWithReason workflow={workflow} onChanged={onChanged} />
    </>
  );
}

/** Links instead of a tab widget, so that each tab has a URL and Back works. */
function Tabs({ workflowId, tab }: Pick<Props, 'workflowId' | 'tab'>) {
  return (
    <nav
      aria-label={workflowText.page.tabs}
      className="-mt-1 flex shrink-0 gap-5 overflow-x-auto overflow-y-hidden border-b border-line"
    >
      {WORKFLOW_TABS.map((one) => (
        <Link
          key={one}
          to={href.workflow(workflowId, one)}
          aria-current={one === tab ? 'page' : undefined}
          className="relative -mb-px flex items-center gap-1.5 border-b-2 border-transparent px-0.5 pt-1 pb-2 font-medium text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
        >
          {TAB_LABELS[one]}
          {one === 'edit' && hasUnsaved(workflowId) ? (
            <span className="size-1.5 rounded-full bg-wait">
              <span className="sr-only">{workflowText.card.unsaved}</span>
            </span>
          ) : null}
        </Link>
      ))}
    </nav>
  );
}

interface TabContentProps extends Pick<Props, 'tab' | 'node'> {
  readonly workflow: WorkflowView;
  readonly refresh: () => void;
}

function TabContent({ workflow, tab, node, refresh }: TabContentProps) {
  switch (tab) {
    case 'overview':
      return <OverviewTab workflow={workflow} onChanged={refresh} />;
    case 'graph':
      return (
        <Suspense fallback={<PageSkeleton label={workflowText.graph.loading} />}>
          <Graph workflow={workflow} node={node} />
        </Suspense>
      );
    case 'versions':
      return <VersionsTab workflow={workflow} onChanged={refresh} />;
    case 'edit':
      return <EditTab workflow={workflow} onChanged={refresh} />;
  }
}
