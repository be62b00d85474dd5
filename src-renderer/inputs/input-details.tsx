import type { ReactNode } from 'react';
import type { InputDetail } from '#shared/api/inputs.ts';
import { href } from '#renderer/navigation/router.ts';
import { shortId } from '#renderer/format/short-id.ts';
import { useDeviceName } from '#renderer/devices/use-devices.ts';
import { INPUT_KIND_WORDS, inputsText } from '#renderer/text/inputs-text.ts';
import { bytes } from '#renderer/text/numbers.ts';
import { Fact, Facts, Panel } from '#renderer/ui/layout/facts.tsx';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { ExactTime } from '#renderer/ui/display/time.tsx';

const WORDS = inputsText.one;

export function InputDetails({ input }: { readonly input: InputDetail }) {
  const device = useDeviceName(input.deviceId);
  const { sessionId } = input.run;
  return (
    <Panel title={WORDS.details}>
      <Facts>
        <Fact name={WORDS.workflow}>
          <FactLink to={href.workflow(input.workflowId)}>{input.workflowName}</FactLink>
        </Fact>
        <Fact name={WORDS.source}>
          {INPUT_KIND_WORDS[input.kind]} ·{' '}
          <Link
            to={href.inputs({ source: input.source })}
            className="rounded-sm text-accent underline"
          >
            <bdi>{input.source}</bdi>
          </Link>
        </Fact>
        <Fact name={WORDS.type}>{input.type}</Fact>
        <Fact name={WORDS.received}>
          <ExactTime at={input.receivedAt} />
        </Fact>
        <Fact name={WORDS.size}>{bytes(input.bytes)}</Fact>
        <Fact name={WORDS.device} title={input.deviceId}>
          {device}
        </Fact>
        {sessionId === null ? null : (
          <Fact name={WORDS.session} title={sessionId}>
            <FactLink to={href.session(sessionId)}>
              <code className="font-mono text-xs">{shortId(sessionId)}</code>
            </FactLink>
          </Fact>
        )}
        <IdFact name={WORDS.externalId} id={input.externalId} />
        <IdFact name={WORDS.dedup} id={input.dedupKey} />
        <IdFact name={WORDS.correlation} id={input.correlationId} />
        <IdFact name={WORDS.id} id={input.id} />
        <IdFact name={WORDS.runId} id={input.run.id} />
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

function FactLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link to={to} className="rounded-sm text-accent hover:underline">
      {children}
    </Link>
  );
}
