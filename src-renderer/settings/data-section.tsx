// The data folder's path and size, and the level of the log.
import { useState } from 'react';
import type { ApiError } from '#shared/api/errors.ts';
import { LOG_LEVELS, type LogLevelName } from '#shared/log-levels.ts';
import { toApiError } from '#renderer/client/to-api-error.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { CopyButton } from '#renderer/ui/buttons/copy-button.tsx';
import { bytes } from '#renderer/text/numbers.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Select } from '#renderer/ui/fields/select.tsx';
import { Fact, Facts } from '#renderer/ui/layout/facts.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

const TEXT = text.settings.data;

export function DataSection() {
  const { answer, error } = useLiveCall('host.storage', {});
  return (
    <>
      <p className="text-muted">{TEXT.hint}</p>
      <Failure error={error} />
      {answer === null && error === null ? <PageSkeleton label={TEXT.loading} /> : null}
      {answer ? (
        <>
          <Panel title={TEXT.path}>
            <div className="grid justify-items-start gap-3">
              <code className="font-mono text-[0.8125rem] wrap-anywhere select-all">
                {answer.dataDir}
              </code>
              <div className="flex flex-wrap items-center gap-2">
                <OpenFolder />
                <CopyButton
                  size="small"
                  content={answer.dataDir}
                  label={TEXT.copy}
                  copiedLabel={TEXT.copied}
                />
              </div>
            </div>
          </Panel>
          <Panel title={`${TEXT.size}: ${bytes(answer.bytes)}`}>
            <Facts isSingleColumn>
              {answer.parts.map((part) => (
                <Fact key={part.name} name={TEXT.names[part.name]}>
                  <SizeShare part={part.bytes} total={answer.bytes} />
                </Fact>
              ))}
            </Facts>
          </Panel>
        </>
      ) : null}
      <LogLevel />
    </>
  );
}

function LogLevel() {
  const { client } = useApp();
  const { answer, error, refresh } = useLiveCall('log.get', {});
  const [failure, setFailure] = useState<ApiError | null>(null);
  const choose = (level: LogLevelName): void => {
    client.call('log.choose', { level }).then(
      () => {
        setFailure(null);
        refresh();
      },
      (cause: unknown) => setFailure(toApiError(cause)),
    );
  };
  if (answer === null) return <Failure error={error} />;
  return (
    <Panel title={TEXT.log}>
      <div className="grid gap-3">
        <code className="font-mono text-[0.8125rem] wrap-anywhere select-all">{answer.file}</code>
        {answer.isFromEnvironment ? (
          <p className="text-[0.8125rem] text-muted">{TEXT.logFromEnvironment(answer.level)}</p>
        ) : (
          <div className="w-64 max-w-full">
            <Select
              label={TEXT.logLevel}
              items={LOG_LEVELS.map((level) => ({ id: level, name: TEXT.logLevels[level] }))}
              chosen={answer.level}
              onChoose={(id) => choose(id as LogLevelName)}
            />
          </div>
        )}
        <Failure error={failure ?? error} />
      </div>
    </Panel>
  );
}

function SizeShare({ part, total }: { readonly part: number; readonly total: number }) {
  return (
    <span className="flex items-center gap-3">
      <span className="w-20 shrink-0 text-right whitespace-nowrap">{bytes(part)}</span>
      <span aria-hidden className="h-1.5 max-w-48 flex-1 overflow-hidden rounded-full bg-line">
        <span
          className="block h-full rounded-full bg-accent-fill"
          style={{ width: `${Math.max(1, (part / Math.max(1, total)) * 100)}%` }}
        />
      </span>
    </span>
  );
}

function OpenFolder() {
  const { client } = useApp();
  const { answer } = useLiveCall('desktop.get', {});
  const open = useIdempotentAction({
    idFor: 'click',
    action: () => client.call('desktop.openFolder', {}),
    onDone: () => undefined,
  });
  if (answer === null) return null;
  if (answer.desktop === null) {
    return <span className="text-[0.8125rem] text-muted">{TEXT.noDesktop}</span>;
  }
  return (
    <>
      <Button size="small" isPending={open.isPending} onPress={open.perform}>
        {TEXT.open}
      </Button>
      <Failure error={open.error} />
    </>
  );
}
