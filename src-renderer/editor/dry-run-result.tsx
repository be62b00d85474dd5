// The result of a dry run, run by run: log, effects, published events and errors.
import { CircleX, CornerDownRight, SendHorizontal, SquareTerminal } from 'lucide-react';
import type { ReactNode } from 'react';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import type { DryRun } from '#shared/api/workflow-files.ts';
import { HANDLER_TYPE_LABELS } from '#renderer/text/runs-text.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { JsonText } from '#renderer/ui/display/json-text.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { PhaseChip } from '#renderer/ui/display/status-chip.tsx';

interface Props {
  readonly result: DryRun;
  readonly fileName: string;
  readonly onGoTo?: (line: number, column: number) => void;
}

const { tryOut } = workflowText;

export function DryRunResult({ result, fileName, onGoTo }: Props) {
  const { runs, pending, warnings, isCut } = result;
  const effects = runs.filter(({ mutation }) => mutation !== null).length;
  return (
    <div className="grid gap-3 text-[0.8125rem]">
      <p className="font-medium">
        {runs.length === 0 ? tryOut.none : tryOut.sum(runs.length, effects)}
      </p>
      {isCut ? (
        <Notice tone="wait">
          <p>{tryOut.cut}</p>
        </Notice>
      ) : null}
      {warnings.map((warning) => (
        <p key={warning} className="wrap-anywhere text-muted">
          {warning}
        </p>
      ))}
      <ol aria-label={tryOut.result} className="grid gap-2.5">
        {runs.map((run) => (
          <DryRunEntry key={run.id} run={run} fileName={fileName} {...(onGoTo ? { onGoTo } : {})} />
        ))}
      </ol>
      {pending.map(({ name, pending: events }) => (
        <p key={name} className="wrap-anywhere text-muted">
          {tryOut.pending(name, events)}
        </p>
      ))}
    </div>
  );
}

interface RunProps extends Pick<Props, 'fileName' | 'onGoTo'> {
  readonly run: HandlerRunDetail;
}

function DryRunEntry({ run, fileName, onGoTo }: RunProps) {
  const { handlerName, handlerType, title, phase, logs, mutation, eventsOut, error } = run;
  return (
    <li className="grid gap-2 rounded-md px-3 py-2.5 ring-1 ring-line ring-inset">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span className="min-w-0 wrap-anywhere">
          <span className="font-medium">{title ?? handlerName}</span>{' '}
          <span className="text-muted">
            {HANDLER_TYPE_LABELS[handlerType]}
            {title === null ? '' : ` ${handlerName}`}
          </span>
        </span>
        <PhaseChip status={phase} />
      </div>
      {logs.length === 0 ? null : (
        <ResultSection icon={<SquareTerminal aria-hidden className="size-3.5" />} name={tryOut.log}>
          <pre
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard.
            tabIndex={0}
            className="max-h-40 overflow-auto font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap"
          >
            {logs.map(({ text }) => text).join('\n')}
          </pre>
        </ResultSection>
      )}
      {mutation === null ? null : (
        <ResultSection
          icon={<SendHorizontal aria-hidden className="size-3.5 text-active" />}
          name={tryOut.wouldSend}
        >
          <p className="font-medium wrap-anywhere">{mutation.title}</p>
          <p className="font-mono text-xs text-muted">
            {mutation.tool}.{mutation.method}
          </p>
          <JsonText label={tryOut.wouldSend} value={mutation.params} />
        </ResultSection>
      )}
      {eventsOut.map((event) => (
        <ResultSection
          key={event.id}
          icon={<CornerDownRight aria-hidden className="size-3.5" />}
          name={tryOut.published}
        >
          <p className="wrap-anywhere">
            <span className="font-medium">{event.topic}</span> {event.title}
          </p>
          {event.payload === null ? null : (
            <JsonText label={tryOut.published} value={event.payload} />
          )}
        </ResultSection>
      ))}
      {phase === 'committed' || error === null ? null : (
        <RunFailure run={run} fileName={fileName} {...(onGoTo ? { onGoTo } : {})} />
      )}
      {mutation !== null && phase === 'suspended' ? (
        <p className="text-muted">{tryOut.nullResult}</p>
      ) : null}
    </li>
  );
}

function RunFailure({ run, fileName, onGoTo }: RunProps) {
  const message = run.error ?? '';
  const position = positionIn(message, fileName);
  return (
    <ResultSection
      icon={<CircleX aria-hidden className="size-3.5 text-bad" />}
      name={run.phase === 'failed' ? tryOut.failed : tryOut.suspended}
    >
      <p className="wrap-anywhere whitespace-pre-wrap text-bad">{message}</p>
      {position === null || onGoTo === undefined ? null : (
        <button
          type="button"
          onClick={() => onGoTo(position.line, position.column)}
          className="justify-self-start rounded-sm text-accent hover:underline"
        >
          {tryOut.goTo(workflowText.editor.whereIs(position.line, position.column))}
        </button>
      )}
    </ResultSection>
  );
}

/** Parses positions as the sandbox writes them. */
function positionIn(
  message: string,
  fileName: string,
): { readonly line: number; readonly column: number } | null {
  const after = message.split(`${fileName}:`)[1] ?? '';
  const [, line, column] = /^(\d+):(\d+)/.exec(after) ?? [];
  return line === undefined || column === undefined
    ? null
    : { line: Number(line), column: Number(column) };
}

interface ResultSectionProps {
  readonly icon: ReactNode;
  readonly name: string;
  readonly children: ReactNode;
}

function ResultSection({ icon, name, children }: ResultSectionProps) {
  return (
    <div className="grid gap-1">
      <h3 className="flex items-center gap-1.5 text-xs font-medium text-muted">
        {icon}
        {name}
      </h3>
      <div className="grid min-w-0 gap-1 pl-5">{children}</div>
    </div>
  );
}
