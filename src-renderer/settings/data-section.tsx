// The data folder's path and size.
import { useApp } from '#renderer/app-context.tsx';
import { CopyButton } from '#renderer/copy-button.tsx';
import { bytes } from '#renderer/text/numbers.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Fact, Facts, Panel } from '#renderer/ui/facts.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { useAct } from '#renderer/use-act.ts';
import { useCall } from '#renderer/use-call.ts';

const WORDS = text.settings.data;

export function DataSection() {
  const { answer, error } = useCall('host.storage', {});
  return (
    <>
      <p className="text-muted">{WORDS.hint}</p>
      <Failure error={error} />
      {answer === null && error === null ? <PageSkeleton label={WORDS.loading} /> : null}
      {answer ? (
        <>
          <Panel title={WORDS.path}>
            <div className="grid justify-items-start gap-3">
              <code className="font-mono text-[0.8125rem] wrap-anywhere select-all">
                {answer.dataDir}
              </code>
              <div className="flex flex-wrap items-center gap-2">
                <OpenFolder />
                <CopyButton
                  size="small"
                  content={answer.dataDir}
                  label={WORDS.copy}
                  done={WORDS.copied}
                />
              </div>
            </div>
          </Panel>
          <Panel title={`${WORDS.size}: ${bytes(answer.bytes)}`}>
            <Facts oneColumn>
              {answer.parts.map((part) => (
                <Fact key={part.name} name={WORDS.names[part.name]}>
                  <Share part={part.bytes} of={answer.bytes} />
                </Fact>
              ))}
            </Facts>
          </Panel>
        </>
      ) : null}
    </>
  );
}

function Share({ part, of }: { readonly part: number; readonly of: number }) {
  return (
    <span className="flex items-center gap-3">
      <span className="w-20 shrink-0 text-right whitespace-nowrap">{bytes(part)}</span>
      <span aria-hidden className="h-1.5 max-w-48 flex-1 overflow-hidden rounded-full bg-line">
        <span
          className="block h-full rounded-full bg-accent-fill"
          style={{ width: `${Math.max(1, (part / Math.max(1, of)) * 100)}%` }}
        />
      </span>
    </span>
  );
}

function OpenFolder() {
  const { client } = useApp();
  const { answer } = useCall('desktop.get', {});
  const open = useAct({
    idFor: 'click',
    act: () => client.call('desktop.openFolder', {}),
    onDone: () => undefined,
  });
  if (answer === null) return null;
  if (answer.desktop === null) {
    return <span className="text-[0.8125rem] text-muted">{WORDS.noDesktop}</span>;
  }
  return (
    <>
      <Button size="small" isPending={open.pending} onPress={open.perform}>
        {WORDS.open}
      </Button>
      <Failure error={open.error} />
    </>
  );
}
