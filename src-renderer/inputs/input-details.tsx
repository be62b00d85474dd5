import type { InputDetail } from '#shared/api/inputs.ts';
import { formatCost } from '#shared/cost.ts';
import { href } from '#renderer/navigation/router.ts';
import { shortId } from '#renderer/format/short-id.ts';
import { useDeviceName } from '#renderer/devices/use-devices.ts';
import { INPUT_KIND_LABELS, inputsText } from '#renderer/text/inputs-text.ts';
import { bytes } from '#renderer/text/numbers.ts';
import { Fact, Facts } from '#renderer/ui/layout/facts.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { TextLink } from '#renderer/ui/buttons/text-link.tsx';
import { ExactTime } from '#renderer/ui/display/time.tsx';

const TEXT = inputsText.one;

export function InputDetails({ input }: { readonly input: InputDetail }) {
  const device = useDeviceName(input.deviceId);
  const { sessionId } = input.run;
  return (
    <Panel title={TEXT.details}>
      <Facts>
        <Fact name={TEXT.workflow}>
          <TextLink to={href.workflow(input.workflowId)}>{input.workflowName}</TextLink>
        </Fact>
        <Fact name={TEXT.source}>
          {INPUT_KIND_LABELS[input.kind]} ·{' '}
          <Link
            to={href.inputs({ source: input.source })}
            className="rounded-sm text-accent underline"
          >
            <bdi>{input.source}</bdi>
          </Link>
        </Fact>
        <Fact name={TEXT.type}>{input.type}</Fact>
        <Fact name={TEXT.received}>
          <ExactTime at={input.receivedAt} />
        </Fact>
        <Fact name={TEXT.size}>{bytes(input.bytes)}</Fact>
        {input.cost === 0 ? null : (
          <Fact name={TEXT.cost} title={TEXT.costHint}>
            {formatCost(input.cost)}
          </Fact>
        )}
        <Fact name={TEXT.device} title={input.deviceId}>
          {device}
        </Fact>
        {sessionId === null ? null : (
          <Fact name={TEXT.session} title={sessionId}>
            <TextLink to={href.session(sessionId)}>
              <code className="font-mono text-xs">{shortId(sessionId)}</code>
            </TextLink>
          </Fact>
        )}
        <IdFact name={TEXT.externalId} id={input.externalId} />
        <IdFact name={TEXT.dedup} id={input.dedupKey} />
        <IdFact name={TEXT.correlation} id={input.correlationId} />
        <IdFact name={TEXT.id} id={input.id} />
        <IdFact name={TEXT.runId} id={input.run.id} />
      </Facts>
    </Panel>
  );
}

function IdFact({ name, id }: { readonly name: string; readonly id: string }) {
  return (
    <Fact name={name} title={id}>
      <code className="font-mono text-xs select-all">{id}</code>
    </Fact>
  );
}
