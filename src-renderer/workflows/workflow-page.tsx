// One workflow with its tabs.
import { FileQuestionMark, ListTree } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { useApp } from '#renderer/app-context.tsx';
import { EditTab } from '#renderer/editor/edit-tab.tsx';
import { hasUnsaved } from '#renderer/editor/unsaved.ts';
import { href } from '#renderer/router.ts';
import { WIDE_ROUND_DISTANCE_MS } from '#renderer/stores/refresher.ts';
import { text } from '#renderer/text/text.ts';
import { flowText, TAB_WORDS } from '#renderer/text/workflows-text.ts';
import { BackLink } from '#renderer/ui/back-link.tsx';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { Page } from '#renderer/ui/page.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { WorkflowChip } from '#renderer/ui/status-chip.tsx';
import { Overview } from '#renderer/workflows/overview.tsx';
import { PauseWithReason } from '#renderer/workflows/pause-or-resume.tsx';
import { useAnswer } from '#renderer/use-answer.ts';
import { Versions } from '#renderer/workflows/versions.tsx';
import {
  WORKFLOW_TABS,
  type GraphNode,
  type WorkflowTab,
} from '#renderer/workflows/workflow-route.ts';
import { workflowState } from '#renderer/workflows/workflow-state.ts';

/** Lazy, because of its layout library. */
const Graph = lazy(() => import('#renderer/workflows/graph.tsx'));

interface Props {
  readonly workflowId: string;
  readonly tab: WorkflowTab;
  readonly node: GraphNode | null;
}

export function WorkflowPage({ workflowId, tab, node }: Props) {
  const { answer, error, refresh } = useAnswer(
    (client) => client.call('workflows.get', { workflowId }),
    { workflows: [workflowId], script_runs: 'any', handler_runs: 'any', events: 'any' },
    [workflowId],
    WIDE_ROUND_DISTANCE_MS,
  );
  const back = <BackLink to={href.workflows()}>{flowText.page.back}</BackLink>;
  if (answer === null && error?.type === 'not_found') {
    return (
      <Page title={flowText.page.notFoundTitle} above={back}>
        <EmptyState icon={FileQuestionMark} title={workflowId} hint={flowText.page.notFoundHint} />
      </Page>
    );
  }
  return (
    <Page
      title={answer?.name ?? flowText.page.loading}
      above={back}
      beside={answer ? <WorkflowChip state={workflowState(answer)} /> : null}
      actions={answer ? <Actions workflow={answer} onActed={refresh} /> : null}
      {...(tab === 'edit' || tab === 'graph' ? { fills: 'always' as const } : {})}
    >
      <Failure error={error}>
        <Button size="small" onPress={refresh} className="justify-self-start">
          {text.app.tryAgain}
        </Button>
      </Failure>
      {answer ? (
        <>
          <Tabs workflowId={workflowId} tab={tab} />
          <Shown workflow={answer} tab={tab} node={node} refresh={refresh} />
        </>
      ) : error === null ? (
        <PageSkeleton label={flowText.page.loading} />
      ) : null}
    </Page>
  );
}

interface ActionsProps {
  readonly workflow: WorkflowView;
  readonly onActed: () => void;
}

function Actions({ workflow, onActed }: ActionsProps) {
  const { router } = useApp();
  return (
    <>
      <Button size="small" onPress={() => router.navigate(href.runs({ workflowId: workflow.id }))}>
        <ListTree aria-hidden className="size-3.5" />
        {flowText.page.runs}
      </Button>
      <PauseWithReason workflow={workflow} onActed={onActed} />
    </>
  );
}

/** Links instead of a tab widget, so that each tab has a URL and Back works. */
function Tabs({ workflowId, tab }: Pick<Props, 'workflowId' | 'tab'>) {
  return (
    <nav
      aria-label={flowText.page.tabs}
      className="-mt-1 flex shrink-0 gap-5 overflow-x-auto overflow-y-hidden border-b border-line"
    >
      {WORKFLOW_TABS.map((one) => (
        <Link
          key={one}
          to={href.workflow(workflowId, one)}
          aria-current={one === tab ? 'page' : undefined}
          className="relative -mb-px flex items-center gap-1.5 border-b-2 border-transparent px-0.5 pt-1 pb-2 font-medium text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
        >
          {TAB_WORDS[one]}
          {one === 'edit' && hasUnsaved(workflowId) ? (
            <span className="size-1.5 rounded-full bg-wait">
              <span className="sr-only">{flowText.card.unsaved}</span>
            </span>
          ) : null}
        </Link>
      ))}
    </nav>
  );
}

interface ShownProps extends Pick<Props, 'tab' | 'node'> {
  readonly workflow: WorkflowView;
  readonly refresh: () => void;
}

function Shown({ workflow, tab, node, refresh }: ShownProps) {
  switch (tab) {
    case 'overview':
      return <Overview workflow={workflow} onActed={refresh} />;
    case 'graph':
      return (
        <Suspense fallback={<PageSkeleton label={flowText.graph.loading} />}>
          <Graph workflow={workflow} node={node} />
        </Suspense>
      );
    case 'versions':
      return <Versions workflow={workflow} onActed={refresh} />;
    case 'edit':
      return <EditTab workflow={workflow} onActed={refresh} />;
  }
}
