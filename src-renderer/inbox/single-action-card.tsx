// Inbox items with a single action: retry, rerun, resume, acknowledge.
import { useState, type ReactNode } from 'react';
import type { InboxItem } from '#shared/api/inbox.ts';
import { describeLeftBehind } from '#shared/left-behind.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { AwaitingNotice, InboxCard, type CardProps } from '#renderer/inbox/inbox-card.tsx';
import { useCardCommands } from '#renderer/inbox/use-card-commands.ts';
import { useDevices } from '#renderer/devices/use-devices.ts';
import { href } from '#renderer/navigation/router.ts';
import { text } from '#renderer/text/text.ts';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { LinkButton } from '#renderer/ui/buttons/link-button.tsx';
import { isRestoredReason } from '#shared/restored-reason.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { JsonText } from '#renderer/ui/display/json-text.tsx';
import { ShortcutKeys } from '#renderer/ui/display/shortcut-keys.tsx';
import { TextLink } from '#renderer/ui/buttons/text-link.tsx';
import { RelativeTime } from '#renderer/ui/display/time.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

type SingleActionItem = Extract<
  InboxItem,
  { type: 'approval' | 'set_aside' | 'stopped' | 'left_behind' | 'refused_row' | 'incident' }
>;

type IncidentSide = Extract<InboxItem, { type: 'incident' }>['sides'][number];

export function SingleActionCard(props: CardProps<SingleActionItem>) {
  const { item, card } = props;
  if (item.type !== 'stopped' || !isRestoredReason(item.reason)) return <ActionCard {...props} />;
  // Resuming could repeat what was done after the backup, so that is shown first.
  return (
    <InboxCard item={item} card={card} title={item.workflowName}>
      <Quote intro={text.stopped.restored} quoted={item.reason} />
      <LinkButton to={href.settings('backups')}>{upkeepText.restored.toSettings}</LinkButton>
    </InboxCard>
  );
}

function ActionCard({ item, card, onRecorded }: CardProps<SingleActionItem>) {
  const { client } = useApp();
  const [isRecorded, setIsRecorded] = useState(false);
  const { title, description, buttonLabel, hint } = contentOf(item);
  const action = useIdempotentAction<unknown>({
    idFor: 'form',
    action: () => {
      if (item.type === 'set_aside') return client.call('events.rerun', { eventId: item.eventId });
      if (item.type === 'incident') {
        return client.call('incidents.acknowledge', { incidentId: item.incidentId });
      }
      if (item.type === 'refused_row') {
        return client.call('inbox.acknowledge', { refusedId: item.refusedId });
      }
      const { workflowId } = item;
      if (item.type === 'left_behind' && item.left.type === 'events') {
        return client.call('workflows.skipLeftBehind', { workflowId, topic: item.left.topic });
      }
      return client.call('workflows.resume', { workflowId });
    },
    onDone: () => {
      setIsRecorded(true);
      onRecorded(text.inbox.asked(title));
    },
  });
  useCardCommands(
    card.isCurrent && !isRecorded && buttonLabel !== null,
    [{ id: 'inbox.act', name: buttonLabel ?? '', keys: '1' }],
    () => action.perform(),
  );
  return (
    <InboxCard item={item} card={card} title={title}>
      {description}
      <div className="grid gap-x-4 gap-y-1 sm:grid-cols-[auto_minmax(0,1fr)] sm:items-center">
        {buttonLabel === null ? (
          item.type === 'left_behind' && (
            <TextLink to={href.workflow(item.workflowId, 'versions')}>
              {text.leftBehind.versions}
              <span className="sr-only">: {title}</span>
            </TextLink>
          )
        ) : (
          <Button
            isPending={action.isPending}
            isDisabled={isRecorded}
            onPress={action.perform}
            className="max-sm:justify-self-start"
          >
            {buttonLabel}
            <span className="sr-only">: {title}</span>
            {card.isCurrent ? (
              <span aria-hidden>
                <ShortcutKeys keys="1" />
              </span>
            ) : null}
          </Button>
        )}
        <span className="text-[0.8125rem] text-muted">{hint}</span>
      </div>
      <Failure error={action.error} />
      <AwaitingNotice isShown={isRecorded} />
    </InboxCard>
  );
}

interface CardContent {
  readonly title: string;
  readonly description: ReactNode;
  /** Null if only another version helps, of the workflow or of Holdfast. */
  readonly buttonLabel: string | null;
  readonly hint: string;
}

function contentOf(item: SingleActionItem): CardContent {
  switch (item.type) {
    case 'approval':
      return {
        title: item.workflowName,
        description: <Quote intro={text.approval.what} quoted={item.error} />,
        buttonLabel: text.approval.tryAgain,
        hint: text.approval.hint,
      };
    case 'set_aside':
      return {
        title: item.title,
        description: <Quote intro={text.setAside.what(item.topic)} quoted={item.error ?? ''} />,
        buttonLabel: text.setAside.rerun,
        hint: text.setAside.hint,
      };
    case 'stopped':
      return {
        title: item.workflowName,
        description: <Quote intro={text.stopped.what} quoted={item.reason} />,
        buttonLabel: text.stopped.resume,
        hint: text.stopped.hint,
      };
    case 'left_behind': {
      const { left } = item;
      const isEvents = left.type === 'events';
      return {
        title: item.workflowName,
        description: <p>{describeLeftBehind(left, text.leftBehind.version)}</p>,
        buttonLabel: isEvents ? text.leftBehind.skip : null,
        hint: isEvents ? text.leftBehind.hint : text.leftBehind.runHint,
      };
    }
    case 'refused_row':
      return {
        title: item.workflowName,
        description: <p className="wrap-anywhere">{item.summary}</p>,
        buttonLabel: item.isHeld ? null : text.incident.acknowledge,
        hint: item.advice,
      };
    case 'incident':
      return {
        title: item.workflowName,
        description: <IncidentSides summary={item.summary} sides={item.sides} />,
        buttonLabel: text.incident.acknowledge,
        hint: item.advice,
      };
  }
}

/** Shows both sides of an incident next to each other. */
function IncidentSides({
  summary,
  sides,
}: {
  readonly summary: string;
  sides: readonly IncidentSide[];
}) {
  return (
    <div className="grid gap-2">
      <p>{summary}</p>
      <ul className="grid gap-3 sm:grid-cols-2">
        {sides.map((side) => (
          <IncidentSideCard key={`${side.deviceId} ${side.epoch} ${side.status}`} side={side} />
        ))}
      </ul>
    </div>
  );
}

function IncidentSideCard({ side }: { readonly side: IncidentSide }) {
  const { deviceId, handlerRunId, tool, params, status, result, at } = side;
  const devices = useDevices();
  const device = devices.find(({ id }) => id === deviceId)?.name ?? deviceId;
  const what = tool ?? text.incident.noCall;
  return (
    <li className="grid min-w-0 content-start gap-1.5 rounded-md bg-sunken px-3 py-2.5 text-[0.8125rem]">
      <p className="flex flex-wrap justify-between gap-x-3 font-medium">
        <span title={deviceId ?? undefined} className="wrap-anywhere">
          {device ?? text.incident.afterwards}
        </span>
        <span className="font-normal text-muted">
          <RelativeTime at={at} />
        </span>
      </p>
      <p className="wrap-anywhere">
        {what}: {status}
      </p>
      {params === null ? null : <JsonText label={text.incident.sent} value={params} />}
      {result === null ? null : <JsonText label={text.incident.result} value={result} />}
      {handlerRunId === null ? null : (
        <TextLink to={href.run(handlerRunId)}>{text.inbox.run}</TextLink>
      )}
    </li>
  );
}

function Quote({ intro, quoted }: { readonly intro: string; readonly quoted: string }) {
  return (
    <div className="grid gap-1.5">
      <p>{intro}</p>
      <p className="rounded-md bg-sunken px-3 py-2 text-[0.8125rem] wrap-anywhere whitespace-pre-wrap">
        {quoted}
      </p>
    </div>
  );
}
