import type { RunView } from '#shared/api/contract.ts';
import { FLAG_DEFINITIONS, FLAG_NAMES } from '#shared/flags.ts';
import { href } from '#renderer/navigation/router.ts';
import { shortId } from '#renderer/format/short-id.ts';
import { FLAG_LABELS, LANE_LABELS, TRIGGER_LABELS } from '#renderer/text/sessions-text.ts';
import { count } from '#renderer/text/numbers.ts';
import { text } from '#renderer/text/text.ts';
import { Fact, Facts } from '#renderer/ui/layout/facts.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { TextLink } from '#renderer/ui/buttons/text-link.tsx';
import { ExactTime, RunDuration } from '#renderer/ui/display/time.tsx';

export function SessionDetails({ run }: { readonly run: RunView }) {
  return (
    <Panel title={text.session.details}>
      <Facts>
        <Fact name={text.sessions.workflow}>
          <TextLink to={href.sessions({ workflowId: run.workflowId })}>{run.workflowName}</TextLink>
        </Fact>
        <Fact name={text.session.started}>
          <ExactTime at={run.createdAt} />
        </Fact>
        <Fact name={text.session.ended}>
          {run.endedAt === null ? (
            <span className="text-muted">{text.session.stillRunning}</span>
          ) : (
            <ExactTime at={run.endedAt} />
          )}
        </Fact>
        <Fact name={text.session.duration}>
          <RunDuration from={run.createdAt} to={run.endedAt} />
        </Fact>
        <Fact name={text.session.runCount}>{count(run.handlerRunCount)}</Fact>
        {run.error === null ? null : <Fact name={text.session.reason}>{run.error}</Fact>}
        <Fact name={text.session.lane}>{LANE_LABELS[run.lane]}</Fact>
        <Fact name={text.session.trigger}>{TRIGGER_LABELS[run.trigger]}</Fact>
        <Fact name={text.session.flags}>
          <Flags run={run} />
        </Fact>
        <HashFact
          name={text.session.script}
          value={run.scriptId === null ? null : run.runStartSha}
        />
        {run.runEndSha === null || run.runEndSha === run.runStartSha ? null : (
          <HashFact name={text.session.scriptAtEnd} value={run.runEndSha} />
        )}
        <HashFact name={text.session.device} value={run.deviceId} />
        {run.sandboxId === null ? null : (
          <HashFact name={text.session.sandbox} value={run.sandboxId} />
        )}
        <HashFact name={text.session.id} value={run.id} />
      </Facts>
    </Panel>
  );
}

function HashFact({ name, value }: { readonly name: string; readonly value: string | null }) {
  return (
    <Fact name={name} title={value ?? ''}>
      {value === null ? (
        <span className="text-muted">{text.session.noScript}</span>
      ) : (
        <code className="font-mono text-xs">{shortId(value)}</code>
      )}
    </Fact>
  );
}

function Flags({ run }: { readonly run: RunView }) {
  const on = FLAG_NAMES.filter((flag) => run.flags[flag]);
  if (on.length === 0) return <span className="text-muted">{text.session.noFlags}</span>;
  return on.map((flag) => (
    <span key={flag} title={FLAG_DEFINITIONS[flag].meaning} className="block">
      {FLAG_LABELS[flag]}
    </span>
  ));
}
