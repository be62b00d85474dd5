// All versions of a workflow.
import { FileClock } from 'lucide-react';
import { useState } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import type { VersionView } from '#shared/api/workflow-pages.ts';
import { MAX_PAGE_SIZE, PAGE_SIZE } from '#shared/limits.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { RelativeTime } from '#renderer/ui/display/time.tsx';
import {
  useDeviceLabels,
  type DeviceLabels,
} from '#renderer/workflows/ownership/use-device-labels.ts';
import { DraftNotice } from '#renderer/workflows/versions/draft-notice.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';
import { VersionDetail } from '#renderer/workflows/versions/version-detail.tsx';
import { PendingIntents } from '#renderer/workflows/ownership/pending-intents.tsx';

interface Props {
  readonly workflow: WorkflowView;
  readonly onChanged: () => void;
}

export function VersionsTab({ workflow, onChanged }: Props) {
  const { id } = workflow;
  const devices = useDeviceLabels();
  const [limit, setLimit] = useState(PAGE_SIZE);
  const [chosenId, setChosen] = useState<string | null>(null);
  const { answer, error } = useLiveCall(
    'workflows.versions',
    { workflowId: id, limit },
    { workflows: [id], scripts: 'any', intents: 'any' },
  );
  if (answer === null) {
    return error === null ? (
      <PageSkeleton label={workflowText.versions.loading} />
    ) : (
      <Failure error={error} />
    );
  }
  const { versions } = answer;
  const [newest] = versions;
  if (newest === undefined) {
    const { none, noneHint } = workflowText.versions;
    return <EmptyState icon={FileClock} title={none} hint={noneHint} />;
  }
  const chosen =
    versions.find((one) => one.id === chosenId) ?? versions.find((one) => one.isDraft) ?? newest;
  return (
    <>
      <Failure error={error} />
      <PendingIntents workflow={workflow} devices={devices} />
      <DraftProblems workflow={workflow} />
      {workflow.draftScriptId === null ? null : (
        <DraftNotice workflow={workflow} onChanged={onChanged} isBesideDiff />
      )}
      <div className="grid items-start gap-4 lg:grid-cols-[17rem_minmax(0,1fr)]">
        <div className="grid gap-2">
          <ul
            aria-label={workflowText.versions.list}
            className="grid max-h-[70vh] overflow-y-auto rounded-lg bg-surface p-1 shadow-raised ring-1 ring-line max-lg:max-h-56"
          >
            {versions.map((version) => (
              <li key={version.id}>
                <VersionLine
                  version={version}
                  devices={devices}
                  isChosen={version.id === chosen.id}
                  onChoose={() => setChosen(version.id)}
                />
              </li>
            ))}
          </ul>
          {answer.next === null || limit >= MAX_PAGE_SIZE ? null : (
            <Button size="small" onPress={() => setLimit(MAX_PAGE_SIZE)}>
              {workflowText.versions.more}
            </Button>
          )}
        </div>
        <VersionDetail
          key={chosen.id}
          workflow={workflow}
          version={chosen}
          versions={versions}
          devices={devices}
        />
      </div>
    </>
  );
}

function DraftProblems({ workflow: { id } }: Pick<Props, 'workflow'>) {
  const { answer } = useLiveCall('workflows.file', { workflowId: id }, { workflows: [id] });
  const problems = answer?.draftProblems ?? [];
  if (problems.length === 0) return null;
  return (
    <Notice tone="bad">
      <p className="font-medium">{workflowText.versions.problems}</p>
      <ul className="grid gap-1">
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </Notice>
  );
}

interface LineProps {
  readonly version: VersionView;
  readonly devices: DeviceLabels;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function VersionLine({ version, devices, isChosen, onChoose }: LineProps) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className="grid w-full gap-0.5 rounded-md px-3 py-2 text-left text-[0.8125rem] hover:bg-hover aria-pressed:bg-active-tint"
    >
      <span className="flex items-center justify-between gap-2">
        <code className="font-mono text-xs font-medium">{version.version}</code>
        <VersionBadge version={version} />
      </span>
      <span className="wrap-anywhere text-muted">
        <RelativeTime at={version.createdAt} />
        {version.deviceId === null
          ? null
          : `, ${workflowText.versions.read(devices.labelOf(version.deviceId))}`}
      </span>
      {version.checkedAt === null ? null : (
        <span className="text-muted">
          {workflowText.versions.checked} <RelativeTime at={version.checkedAt} />
        </span>
      )}
    </button>
  );
}

function VersionBadge({ version: { isActive, isDraft } }: Pick<LineProps, 'version'>) {
  if (!isActive && !isDraft) return null;
  return (
    <span
      className={`rounded-full px-2 py-px text-xs font-medium ${isActive ? 'bg-good-tint text-good' : 'bg-wait-tint text-wait'}`}
    >
      {isActive ? workflowText.versions.active : workflowText.versions.draft}
    </span>
  );
}
