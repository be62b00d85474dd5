// Things that wait for one act: a grant, a mended script, an event that failed too often.
import { useState, type ReactNode } from 'react';
import type { InboxItem } from '#shared/api/inbox.ts';
import { useApp } from '#renderer/app-context.tsx';
import { Awaiting, InboxCard } from '#renderer/inbox/inbox-card.tsx';
import { text } from '#renderer/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { useAct } from '#renderer/use-act.ts';

type OneActItem = Extract<InboxItem, { type: 'approval' | 'set_aside' | 'stopped' | 'incident' }>;

type IncidentSide = Extract<InboxItem, { type: 'incident' }>['sides'][number];

interface Props {
  readonly item: OneActItem;
  readonly onRecorded: (sentence: string) => void;
}

export function OneAct({ item, onRecorded }: Props) {
  const { client } = useApp();
  const [recorded, setRecorded] = useState(false);
  const { title, what, button, hint } = wordsOf(item);
  const act = useAct<unknown>({
    idFor: 'form',
    act: () => {
      if (item.type === 'set_aside') return client.call('events.rerun', { eventId: item.eventId });
      if (item.type === 'incident') {
        return client.call('incidents.acknowledge', { incidentId: item.incidentId });
      }
      return client.call('workflows.resume', { workflowId: item.workflowId });
    },
    onDone: () => {
      setRecorded(true);
      onRecorded(text.inbox.asked(title));
    },
  });
  return (
    <InboxCard item={item} title={title}>
      {what}
      <div className="grid gap-x-4 gap-y-1 sm:grid-cols-[auto_minmax(0,1fr)] sm:items-center">
        <Button
          isPending={act.pending}
          isDisabled={recorded}
          onPress={act.perform}
          className="max-sm:justify-self-start"
        >
          {button}
          <span className="sr-only">: {title}</span>
        </Button>
        <span className="text-[0.8125rem] text-muted">{hint}</span>
      </div>
      <Failure error={act.error} />
      <Awaiting isShown={recorded} />
    </InboxCard>
  );
}

interface Words {
  readonly title: string;
  readonly what: ReactNode;
  readonly button: string;
  readonly hint: string;
}

function wordsOf(item: OneActItem): Words {
  switch (item.type) {
    case 'approval':
      return {
        title: item.workflowName,
        what: <Said intro={text.approval.what} said={item.error} />,
        button: text.approval.tryAgain,
        hint: text.approval.hint,
      };
    case 'set_aside':
      return {
        title: item.title,
        what: <p>{text.setAside.what(item.topic)}</p>,
        button: text.setAside.rerun,
        hint: text.setAside.hint,
      };
    case 'stopped':
      return {
        title: item.workflowName,
        what: <Said intro={text.stopped.what} said={item.reason} />,
        button: text.stopped.resume,
        hint: text.stopped.hint,
      };
    case 'incident':
      return {
        title: item.workflowName,
        what: <Said intro={item.summary} said={item.sides.map(sideWords).join('\n')} />,
        button: text.incident.acknowledge,
        hint: item.advice,
      };
  }
}

function sideWords({ deviceId, tool, status, params, result }: IncidentSide): string {
  const what = tool === null ? status : `${tool} ${JSON.stringify(params)}: ${status}`;
  const came = result === null ? '' : `, ${JSON.stringify(result)}`;
  return `${deviceId ?? text.incident.afterwards}: ${what}${came}`;
}

function Said({ intro, said }: { readonly intro: string; readonly said: string }) {
  return (
    <div className="grid gap-1.5">
      <p>{intro}</p>
      <p className="rounded-md bg-sunken px-3 py-2 text-[0.8125rem] wrap-anywhere whitespace-pre-wrap">
        {said}
      </p>
    </div>
  );
}
