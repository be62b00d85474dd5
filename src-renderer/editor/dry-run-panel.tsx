// The dry run panel: its input and its result.
import { FlaskConical } from 'lucide-react';
import { useState } from 'react';
import type { DryRun } from '#shared/api/workflow-files.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { DryRunResult } from '#renderer/editor/dry-run-result.tsx';
import { parseTypedJson } from '#renderer/format/parse-typed-json.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { FilterSelect } from '#renderer/ui/fields/filter-select.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

interface Props {
  readonly source: string;
  readonly fileName: string;
  readonly topics: readonly string[];
  /** Moves the editor to a position. */
  readonly onGoTo?: (line: number, column: number) => void;
}

export function DryRunPanel({ source, fileName, topics, onGoTo }: Props) {
  const { client } = useApp();
  const [topic, setTopic] = useState<string | null>(null);
  const [payload, setPayload] = useState('');
  const [isRefused, setRefused] = useState(false);
  const [result, setResult] = useState<DryRun | null>(null);
  const typed = parseTypedJson(payload);
  const dryRun = useIdempotentAction({
    idFor: 'click',
    action: () =>
      client.call('workflows.try', {
        source,
        fileName,
        ...(topic !== null && typed.ok ? { events: [{ topic, payload: typed.value }] } : {}),
      }),
    onDone: setResult,
  });
  const start = (): void => {
    const isUnreadable = topic !== null && !typed.ok;
    setRefused(isUnreadable);
    if (isUnreadable) return;
    setResult(null);
    dryRun.perform();
  };
  const { tryOut } = workflowText;
  return (
    <section aria-label={tryOut.title} className="h-full overflow-y-auto px-4 py-3">
      <div className="grid gap-3">
        <div className="grid gap-1">
          <h2 className="text-[0.8125rem] font-semibold">{tryOut.title}</h2>
          <p className="text-[0.8125rem] text-muted">{tryOut.hint}</p>
        </div>
        <div className="flex flex-wrap items-center justify-between gap-2">
          <FilterSelect
            label={tryOut.from}
            allLabel={tryOut.producers}
            items={topics.map((name) => ({ id: name, name: tryOut.event(name) }))}
            chosen={topic}
            onChoose={setTopic}
          />
          <Button variant="primary" isPending={dryRun.isPending} onPress={start}>
            <FlaskConical aria-hidden className="size-4" />
            {dryRun.isPending ? tryOut.running : tryOut.run}
          </Button>
        </div>
        {topic === null ? null : (
          <TextInput
            label={tryOut.payload}
            hint={tryOut.payloadHint}
            value={payload}
            onChange={setPayload}
            isInvalid={isRefused && !typed.ok}
            lines={{ rows: 4, isCode: true }}
          />
        )}
        <p role="alert" className="text-[0.8125rem] text-bad empty:hidden">
          {isRefused && !typed.ok ? tryOut.payloadProblem : null}
        </p>
        <Failure error={dryRun.error} />
        <div role="status">
          {result === null ? null : (
            <DryRunResult result={result} fileName={fileName} {...(onGoTo ? { onGoTo } : {})} />
          )}
        </div>
      </div>
    </section>
  );
}
