// One version: diff, dry run and activations.
import type { CallOutput } from '#shared/api/contract.ts';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { useState } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import type { VersionView } from '#shared/api/workflow-pages.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import type { CodeDiffProps } from '#renderer/editor/code-diff.tsx';
import { LazyCodeDiff } from '#renderer/editor/lazy-editor.tsx';
import { DryRunPanel } from '#renderer/editor/dry-run-panel.tsx';
import { storeUnsaved } from '#renderer/editor/unsaved-changes.ts';
import { href } from '#renderer/navigation/router.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { FilterSelect } from '#renderer/ui/fields/filter-select.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { ExactTime } from '#renderer/ui/display/time.tsx';
import type { DeviceLabels } from '#renderer/workflows/ownership/use-device-labels.ts';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

interface Props {
  readonly workflow: WorkflowView;
  readonly version: VersionView;
  /** Newest first. */
  readonly versions: readonly VersionView[];
  readonly devices: DeviceLabels;
}

const { versions: TEXT } = workflowText;

export function VersionDetail(props: Props) {
  const { workflow, version, versions, devices } = props;
  const [shown, setShown] = useState<'changes' | 'try'>('changes');
  const [chosenBase, setBase] = useState<string | null>(null);
  const defaultBase = defaultBaseOf(version, versions);
  const base = versions.find(({ id }) => id === chosenBase) ?? defaultBase;
  const source = useLiveCall('workflows.version', { scriptId: version.id });
  return (
    <section
      aria-label={version.version}
      className="grid min-w-0 gap-3 rounded-lg bg-surface px-4 py-3 shadow-raised ring-1 ring-line"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="flex gap-1">
          {(['changes', 'try'] as const).map((one) => (
            <Button
              key={one}
              size="small"
              variant={shown === one ? 'secondary' : 'quiet'}
              aria-pressed={shown === one}
              onPress={() => setShown(one)}
            >
              {TEXT[one]}
            </Button>
          ))}
        </div>
        <div className="flex flex-wrap items-center gap-2 text-[0.8125rem]">
          {shown === 'changes' && defaultBase !== undefined ? (
            <>
              <span aria-hidden className="text-muted">
                {TEXT.compare}
              </span>
              <FilterSelect
                label={TEXT.compare}
                allLabel={versionName(defaultBase)}
                items={versions
                  .filter(({ id }) => id !== version.id && id !== defaultBase.id)
                  .map((one) => ({ id: one.id, name: versionName(one) }))}
                chosen={chosenBase}
                onChoose={setBase}
              />
            </>
          ) : null}
          {workflow.path === null || source.answer === null ? null : (
            <OpenInEditor workflow={workflow} source={source.answer.source} />
          )}
        </div>
      </div>
      <Activations version={version} devices={devices} />
      <Failure error={source.error} />
      {source.answer === null ? (
        source.error === null ? (
          <PageSkeleton label={TEXT.loading} />
        ) : null
      ) : shown === 'try' ? (
        <DryRunPanel
          source={source.answer.source}
          fileName={version.fileName ?? 'workflow.ts'}
          topics={workflow.topics.map(({ name }) => name)}
        />
      ) : base === undefined ? (
        <>
          <p className="text-[0.8125rem] text-muted">{TEXT.first}</p>
          <DiffView label={version.version} before={null} after={source.answer.source} />
        </>
      ) : (
        <DiffAgainstBase version={version} base={base} after={source.answer.source} />
      )}
    </section>
  );
}

/** The active version, or for the active one its predecessor. */
function defaultBaseOf(
  version: VersionView,
  versions: readonly VersionView[],
): VersionView | undefined {
  const active = versions.find(({ isActive }) => isActive);
  if (active !== undefined && active.id !== version.id) return active;
  return versions[versions.findIndex(({ id }) => id === version.id) + 1];
}

const versionName = ({ version, isActive, isDraft }: VersionView): string =>
  `${version}${isActive ? ` (${TEXT.active})` : isDraft ? ` (${TEXT.draft})` : ''}`;

interface DiffAgainstBaseProps {
  readonly version: VersionView;
  readonly base: VersionView;
  readonly after: string;
}

function DiffAgainstBase({ version, base, after }: DiffAgainstBaseProps) {
  const { answer, error } = useLiveCall('workflows.version', { scriptId: base.id });
  if (answer === null) {
    return error === null ? <PageSkeleton label={TEXT.loading} /> : <Failure error={error} />;
  }
  const label = TEXT.diff(version.version, base.version);
  return <DiffView label={label} before={answer.source} after={after} />;
}

function DiffView(props: CodeDiffProps) {
  return (
    <div className="h-[60vh] min-h-72 overflow-hidden rounded-md ring-1 ring-line">
      <LazyCodeDiff {...props} />
    </div>
  );
}

function Activations({ version, devices }: Pick<Props, 'version' | 'devices'>) {
  if (version.activations.length === 0) return null;
  return (
    <ul className="grid gap-0.5 text-[0.8125rem] text-muted">
      {version.activations.map(({ at, deviceId }) => (
        <li key={`${at} ${deviceId}`}>
          {TEXT.activated} <ExactTime at={at} />, {TEXT.activatedOn(devices.labelOf(deviceId))}
        </li>
      ))}
    </ul>
  );
}

interface OpenProps {
  readonly workflow: WorkflowView;
  readonly source: string;
}

/** Opens as an unsaved change; the file stays until it is saved. */
function OpenInEditor({ workflow, source }: OpenProps) {
  const { client, router } = useApp();
  const opening = useIdempotentAction<CallOutput<'workflows.file'>>({
    idFor: 'click',
    action: () => client.call('workflows.file', { workflowId: workflow.id }),
    onDone: ({ sha, source: onDisk }) => {
      if (onDisk !== source) storeUnsaved(workflow.id, { text: source, basedOn: sha });
      router.navigate(href.workflow(workflow.id, 'edit'));
    },
  });
  return (
    <>
      <Button size="small" isPending={opening.isPending} onPress={opening.perform}>
        {TEXT.edit}
      </Button>
      <Failure error={opening.error} />
    </>
  );
}
