import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { formatCost } from '#shared/cost.ts';
import { href } from '#renderer/navigation/router.ts';
import { InputLinks } from '#renderer/inputs/input-links.tsx';
import { useDeviceName } from '#renderer/devices/use-devices.ts';
import { shortId } from '#renderer/format/short-id.ts';
import { ERROR_TYPE_LABELS, HANDLER_TYPE_LABELS } from '#renderer/text/runs-text.ts';
import { text } from '#renderer/text/text.ts';
import { Fact, Facts } from '#renderer/ui/layout/facts.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { TextLink } from '#renderer/ui/buttons/text-link.tsx';
import { ExactTime, RunDuration } from '#renderer/ui/display/time.tsx';

export function RunDetails({ run }: { readonly run: HandlerRunDetail }) {
  const device = useDeviceName(run.deviceId);
  return (
    <Panel title={text.run.details}>
      <Facts>
        <Fact name={text.run.workflow}>
          <TextLink to={href.runs({ workflowId: run.workflowId })}>{run.workflowName}</TextLink>
        </Fact>
        <Fact name={HANDLER_TYPE_LABELS[run.handlerType]}>{run.handlerName}</Fact>
        <Fact name={text.run.started}>
          <ExactTime at={run.startedAt} />
        </Fact>
        <Fact name={text.run.ended}>
          {run.endedAt === null ? (
            <span className="text-muted">{text.run.stillRunning}</span>
          ) : (
            <ExactTime at={run.endedAt} />
          )}
        </Fact>
        <Fact name={text.run.duration}>
          <RunDuration from={run.startedAt} to={run.endedAt} />
        </Fact>
        {run.cost === 0 ? null : <Fact name={text.run.cost}>{formatCost(run.cost)}</Fact>}
        {run.errorType === null ? null : (
          <Fact name={text.run.kind}>{ERROR_TYPE_LABELS[run.errorType]}</Fact>
        )}
        {run.retryOf === null ? null : (
          <Fact name={text.run.retryOf} title={run.retryOf}>
            <TextLink to={href.run(run.retryOf)}>{text.run.runOf(shortId(run.retryOf))}</TextLink>
          </Fact>
        )}
        {run.retriedBy === null ? null : (
          <Fact name={text.run.retriedBy} title={run.retriedBy}>
            <TextLink to={href.run(run.retriedBy)}>
              {text.run.runOf(shortId(run.retriedBy))}
            </TextLink>
          </Fact>
        )}
        {run.inputs.length === 0 ? null : (
          <Fact name={text.run.inputs}>
            <InputLinks inputs={run.inputs} />
          </Fact>
        )}
        <Fact name={text.run.session} title={run.scriptRunId}>
          <TextLink to={href.session(run.scriptRunId)}>
            <code className="font-mono text-xs">{shortId(run.scriptRunId)}</code>
          </TextLink>
        </Fact>
        <Fact name={text.run.device} title={run.deviceId}>
          {device}
        </Fact>
        <Fact name={text.run.id} title={run.id}>
          <code className="font-mono text-xs select-all">{run.id}</code>
        </Fact>
      </Facts>
    </Panel>
  );
}
