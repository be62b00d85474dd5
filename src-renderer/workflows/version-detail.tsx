// One version: diff, dry run and activations.
import { useState } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import type { VersionView } from '#shared/api/workflow-pages.ts';
import { useApp } from '#renderer/app-context.tsx';
import type { CodeDiffProps } from '#renderer/editor/code-diff.tsx';
import { LazyDiff } from '#renderer/editor/lazy-editor.tsx';
import { TryPanel } from '#renderer/editor/try-panel.tsx';
import { keepUnsaved } from '#renderer/editor/unsaved.ts';
import { href } from '#renderer/router.ts';
import { flowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Choice } from '#renderer/ui/choice.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { ExactTime } from '#renderer/ui/when.tsx';
import type { Devices } from '#renderer/workflows/device-names.ts';
import { useAnswer } from '#renderer/use-answer.ts';

interface Props {
  readonly workflow: WorkflowView;
  readonly version: VersionView;
  /** Newest first. */
  readonly versions: readonly VersionView[];
  readonly devices: Devices;
}

const { versions: words } = flowText;

export function VersionDetail(props: Props) {
  const { workflow, version, versions, devices } = props;
  const [shown, setShown] = useState<'changes' | 'try'>('changes');
  const [chosenBase, setBase] = useState<string | null>(null);
  const usual = usualBase(version, versions);
  const base = versions.find(({ id }) => id === chosenBase) ?? usual;
  const source = useSource(version.id);
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
              look={shown === one ? 'secondary' : 'quiet'}
              aria-pressed={shown === one}
              onPress={() => setShown(one)}
            >
              {words[one]}
            </Button>
          ))}
        </div>
        <div className="flex flex-wrap items-center gap-2 text-[0.8125rem]">
          {shown === 'changes' && usual !== undefined ? (
            <>
              <span aria-hidden className="text-muted">
                {words.compare}
              </span>
              <Choice
                label={words.compare}
                all={nameOf(usual)}
                items={versions
                  .filter(({ id }) => id !== version.id && id !== usual.id)
                  .map((one) => ({ id: one.id, name: nameOf(one) }))}
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
          <PageSkeleton label={words.loading} />
        ) : null
      ) : shown === 'try' ? (
        <TryPanel
          source={source.answer.source}
          fileName={version.fileName ?? 'workflow.ts'}
          topics={workflow.topics.map(({ name }) => name)}
        />
      ) : base === undefined ? (
        <>
          <p className="text-[0.8125rem] text-muted">{words.first}</p>
          <Text label={version.version} before={null} after={source.answer.source} />
        </>
      ) : (
        <AgainstBase version={version} base={base} after={source.answer.source} />
      )}
    </section>
  );
}

/** The active version, or for the active one its predecessor. */
function usualBase(
  version: VersionView,
  versions: readonly VersionView[],
): VersionView | undefined {
  const active = versions.find(({ isActive }) => isActive);
  if (active !== undefined && active.id !== version.id) return active;
  return versions[versions.findIndex(({ id }) => id === version.id) + 1];
}

const nameOf = ({ version, isActive, isDraft }: VersionView): string =>
  `${version}${isActive ? ` (${words.active})` : isDraft ? ` (${words.draft})` : ''}`;

function useSource(scriptId: string) {
  return useAnswer((client) => client.call('workflows.version', { scriptId }), {}, [scriptId]);
}

interface AgainstProps {
  readonly version: VersionView;
  readonly base: VersionView;
  readonly after: string;
}

function AgainstBase({ version, base, after }: AgainstProps) {
  const { answer, error } = useSource(base.id);
  if (answer === null) {
    return error === null ? <PageSkeleton label={words.loading} /> : <Failure error={error} />;
  }
  const label = words.diff(version.version, base.version);
  return <Text label={label} before={answer.source} after={after} />;
}

function Text(props: CodeDiffProps) {
  return (
    <div className="h-[60vh] min-h-72 overflow-hidden rounded-md ring-1 ring-line">
      <LazyDiff {...props} />
    </div>
  );
}

function Activations({ version, devices }: Pick<Props, 'version' | 'devices'>) {
  if (version.activations.length === 0) return null;
  return (
    <ul className="grid gap-0.5 text-[0.8125rem] text-muted">
      {version.activations.map(({ at, deviceId }) => (
        <li key={`${at} ${deviceId}`}>
          {words.activated} <ExactTime at={at} />, {words.activatedOn(devices.name(deviceId))}
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
  const open = async (): Promise<void> => {
    const { sha, source: onDisk } = await client.call('workflows.file', {
      workflowId: workflow.id,
    });
    if (onDisk !== source) keepUnsaved(workflow.id, { text: source, basedOn: sha });
    router.navigate(href.workflow(workflow.id, 'edit'));
  };
  return (
    <Button size="small" onPress={() => void open().catch(() => undefined)}>
      {words.edit}
    </Button>
  );
}
