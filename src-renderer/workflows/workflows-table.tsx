import type { WorkflowView } from '#shared/api/contract.ts';
import { href } from '#renderer/router.ts';
import { shortId } from '#renderer/short-id.ts';
import { text } from '#renderer/text.ts';
import { Link } from '#renderer/ui/link.tsx';
import { WorkflowStatusChip } from '#renderer/ui/status-chip.tsx';
import { RelativeTime } from '#renderer/ui/when.tsx';
import { StartRun } from '#renderer/workflows/start-run.tsx';

const FRAME = 'rounded-lg bg-surface shadow-raised ring-1 ring-line';
const COLUMNS =
  'grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-1.5 px-4 lg:grid-cols-[minmax(0,1fr)_6.5rem_9rem_7.5rem_7rem]';

export function WorkflowsTable({ workflows }: { readonly workflows: readonly WorkflowView[] }) {
  const { name, status, activeRun, created, actions } = text.workflows;
  return (
    <div role="table" aria-label={text.workflows.title} className={FRAME}>
      <div role="rowgroup" className="hidden border-b border-line lg:block">
        <div role="row" className={`${COLUMNS} h-8 text-xs text-muted`}>
          <span role="columnheader">{name}</span>
          <span role="columnheader">{status}</span>
          <span role="columnheader">{activeRun}</span>
          <span role="columnheader">{created}</span>
          <span role="columnheader" className="sr-only">
            {actions}
          </span>
        </div>
      </div>
      <div role="rowgroup" className="divide-y divide-line">
        {workflows.map((workflow) => (
          <WorkflowRow key={workflow.id} workflow={workflow} />
        ))}
      </div>
    </div>
  );
}

function WorkflowRow({ workflow }: { readonly workflow: WorkflowView }) {
  const { id, name, status, activeRunId, createdAt } = workflow;
  return (
    <div role="row" className={`${COLUMNS} min-h-13 py-2.5 lg:py-2`}>
      <span role="cell" className="min-w-0">
        <Link
          to={href.runs({ workflowId: id })}
          title={text.workflows.runsOf(name)}
          className="line-clamp-2 rounded-sm font-medium wrap-anywhere hover:text-accent hover:underline"
        >
          {name}
        </Link>
      </span>
      {/* One line under the name where there is no room for columns. */}
      <div className="col-start-1 flex flex-wrap items-center gap-x-3 gap-y-1 lg:contents">
        <span role="cell" className="flex">
          <WorkflowStatusChip status={status} />
        </span>
        <span role="cell" className={activeRunId === null ? 'max-lg:sr-only' : ''}>
          {activeRunId === null ? (
            <span className="text-muted">{text.workflows.noActiveRun}</span>
          ) : (
            <Link
              to={href.run(activeRunId)}
              title={activeRunId}
              className="tabular rounded-sm text-accent hover:underline"
            >
              {text.workflows.openRun(shortId(activeRunId))}
            </Link>
          )}
        </span>
        <span role="cell" className="text-muted">
          <span className="lg:hidden">{text.workflows.created} </span>
          <RelativeTime at={createdAt} />
        </span>
      </div>
      <StartRun workflow={workflow} />
    </div>
  );
}

export function WorkflowsSkeleton() {
  return (
    <div
      role="status"
      aria-label={text.workflows.loading}
      className={`${FRAME} divide-y divide-line`}
    >
      {['w-48', 'w-64', 'w-40'].map((width) => (
        <div key={width} className="flex h-13 items-center justify-between px-4">
          <span className={`skeleton h-3.5 max-w-1/2 ${width}`} />
          <span className="skeleton h-7 w-20" />
        </div>
      ))}
    </div>
  );
}
