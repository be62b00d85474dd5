import { CircleCheck, Inbox } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { InboxItem } from '#shared/api/inbox.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import type { CardProps } from '#renderer/inbox/inbox-card.tsx';
import { SingleActionCard } from '#renderer/inbox/single-action-card.tsx';
import { QuestionCard } from '#renderer/inbox/question-card.tsx';
import { UnknownEffectCard } from '#renderer/inbox/unknown-effect-card.tsx';
import { useIncrementalList } from '#renderer/inbox/use-incremental-list.ts';
import { useCurrentCard } from '#renderer/inbox/use-current-card.ts';
import { href } from '#renderer/navigation/router.ts';
import { text } from '#renderer/text/text.ts';
import { CopyJsonButton } from '#renderer/ui/buttons/copy-json-button.tsx';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { Tour } from '#renderer/onboarding/tour.tsx';

interface Recorded {
  readonly sentence: string;
  /** Where the result will appear. */
  readonly to: string;
}

export function InboxPage() {
  const { inbox } = useApp();
  const { answer: items, error } = useStore(inbox);
  const [recorded, setRecorded] = useState<Recorded | null>(null);
  const { visibleCount, endRef } = useIncrementalList();
  const shown = (items ?? []).slice(0, visibleCount);
  const current = useCurrentCard(shown.map(cardKey));
  return (
    <Page
      title={text.inbox.title}
      beside={
        items === null || items.length === 0 ? null : (
          <span className="tabular text-[0.8125rem] text-muted">
            {text.inbox.waiting(items.length)}
          </span>
        )
      }
      actions={
        items === null || items.length === 0 ? null : (
          <CopyJsonButton subject={text.inbox.title} value={() => [...items]} />
        )
      }
    >
      <div className="grid max-w-6xl gap-4">
        <Failure error={error} onRetry={inbox.refresh} />
        <Tour items={items} />
        <RecordedNotice recorded={recorded} items={items} />
        {items === null && error === null ? <PageSkeleton label={text.inbox.loading} /> : null}
        {items === null || items.length === 0 ? null : (
          <ul className="grid gap-4">
            {shown.map((item, index) => {
              const key = cardKey(item);
              return (
                <li key={key} aria-setsize={items.length} aria-posinset={index + 1}>
                  <Card
                    item={item}
                    card={{
                      key,
                      isCurrent: key === current.key,
                      onFocus: () => current.set(key),
                    }}
                    onRecorded={(sentence) => {
                      setRecorded(sentence === null ? null : { sentence, to: resultHref(item) });
                      inbox.refresh();
                    }}
                  />
                </li>
              );
            })}
            {shown.length < items.length ? (
              <li
                key={visibleCount}
                ref={endRef}
                aria-hidden
                className="skeleton h-40 rounded-lg"
              />
            ) : null}
          </ul>
        )}
      </div>
      {items?.length === 0 ? (
        <EmptyState icon={Inbox} title={text.inbox.empty} hint={text.inbox.emptyHint} />
      ) : null}
    </Page>
  );
}

function Card({ item, ...rest }: CardProps) {
  switch (item.type) {
    case 'unknown_effect':
      return <UnknownEffectCard item={item} {...rest} />;
    case 'question':
      return <QuestionCard item={item} {...rest} />;
    case 'approval':
    case 'set_aside':
    case 'stopped':
    case 'left_behind':
    case 'refused_row':
    case 'incident':
      return <SingleActionCard item={item} {...rest} />;
  }
}

/** Identifies an item and its occurrence: an outcome that is unknown again needs a new card. */
function cardKey(item: InboxItem): string {
  switch (item.type) {
    case 'unknown_effect': {
      const { id, resolutions } = item.mutation;
      // Undone and superseded decisions don't replace the card.
      const done = resolutions.filter(({ status }) => status === 'done');
      return `${id} ${done.length}`;
    }
    case 'question':
      return item.mutationId;
    case 'approval':
      return item.handlerRunId;
    case 'set_aside':
      return `${item.eventId} ${item.at}`;
    case 'stopped':
      return `${item.workflowId} ${item.at}`;
    case 'left_behind': {
      const { left } = item;
      return `${item.workflowId} ${left.type} ${left.type === 'events' ? left.topic : left.handler}`;
    }
    case 'refused_row':
      return item.refusedId;
    case 'incident':
      return item.incidentId;
  }
}

const resultHref = (item: InboxItem): string =>
  'handlerRunId' in item
    ? href.run(item.handlerRunId)
    : href.runs(item.workflowId === null ? {} : { workflowId: item.workflowId });

interface RecordedNoticeProps {
  readonly recorded: Recorded | null;
  readonly items: readonly InboxItem[] | null;
}

/** Stays after the card is gone and takes over its focus. */
function RecordedNotice({ recorded, items }: RecordedNoticeProps) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (recorded === null || items === null) return;
    if (document.activeElement === document.body) line.current?.focus();
  }, [recorded, items]);
  return (
    <div
      ref={line}
      role="status"
      tabIndex={-1}
      className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-good-tint px-3 py-2 text-[0.8125rem] text-good empty:hidden"
    >
      {recorded === null ? null : (
        <>
          <span className="flex min-w-0 items-center gap-2 wrap-anywhere">
            <CircleCheck aria-hidden className="size-4 shrink-0" />
            {recorded.sentence}
          </span>
          <Link to={recorded.to} className="rounded-sm font-medium underline">
            {text.inbox.follow}
          </Link>
        </>
      )}
    </div>
  );
}
