// Recent runs as a row of marks, newest on the right. They differ in shape and color, with a text
// alternative.
import type { RecentRun } from '#shared/api/workflow-pages.ts';
import {
  RECENT_RUN_LABELS,
  recentRunKind,
  type RecentRunKind,
} from '#renderer/text/status-labels.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';

const PITCH = 10;
const HEIGHT = 14;

const COLOURS: Readonly<Record<RecentRunKind, string>> = {
  committed: 'text-good',
  failed: 'text-bad',
  suspended: 'text-wait',
  running: 'text-active',
};

export function Sparkline({ recent }: { readonly recent: readonly RecentRun[] }) {
  if (recent.length === 0) {
    return <span className="text-[0.8125rem] text-muted">{workflowText.card.noRuns}</span>;
  }
  const runs = recent.toReversed();
  return (
    <svg
      role="img"
      aria-label={workflowText.card.recent(countKinds(recent))}
      width={runs.length * PITCH}
      height={HEIGHT}
      className="max-w-full"
    >
      {runs.map((run, index) => (
        <g key={run.id} transform={`translate(${index * PITCH} 0)`}>
          <RunMark kind={recentRunKind(run.phase)} name={run.handlerName} />
        </g>
      ))}
    </svg>
  );
}

function RunMark({ kind, name }: { readonly kind: RecentRunKind; readonly name: string }) {
  return (
    <g className={COLOURS[kind]}>
      <title>{`${name}: ${RECENT_RUN_LABELS[kind]}`}</title>
      <Shape kind={kind} />
    </g>
  );
}

function Shape({ kind }: { readonly kind: RecentRunKind }) {
  switch (kind) {
    case 'committed':
      return <rect x="1" y="2" width="7" height="10" rx="1.5" fill="currentColor" opacity="0.8" />;
    case 'failed':
      return (
        <path d="M1.5 3.5 7.5 10.5M7.5 3.5 1.5 10.5" stroke="currentColor" strokeWidth="2.2" />
      );
    case 'suspended':
      return (
        <path
          d="M4.5 2.5 8.5 7 4.5 11.5.5 7Z"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.6"
        />
      );
    case 'running':
      return <circle cx="4.5" cy="7" r="3.4" fill="none" stroke="currentColor" strokeWidth="1.8" />;
  }
}

function countKinds(recent: readonly RecentRun[]): (readonly [RecentRunKind, number])[] {
  return (Object.keys(RECENT_RUN_LABELS) as RecentRunKind[])
    .map(
      (kind) => [kind, recent.filter(({ phase }) => recentRunKind(phase) === kind).length] as const,
    )
    .filter(([, runs]) => runs > 0);
}
