import { CircleCheck, Inbox } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { InboxItem } from '#shared/api/inbox.ts';
import { useApp } from '#renderer/app-context.tsx';
import type { CardProps } from '#renderer/inbox/inbox-card.tsx';
import { OneAct } from '#renderer/inbox/one-act.tsx';
import { Question } from '#renderer/inbox/question.tsx';
import { UnknownEffect } from '#renderer/inbox/unknown-effect.tsx';
import { useCardsNear } from '#renderer/inbox/use-cards-near.ts';
import { useCurrent } from '#renderer/inbox/use-current.ts';
import { href } from '#renderer/router.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { CopyJson } from '#renderer/ui/copy-json.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { Page } from '#renderer/ui/page.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { Tour } from '#renderer/shell/tour.tsx';

interface Recorded {
  readonly sentence: string;
  /** Where the result will appear. */
  readonly to: string;
}

export function InboxPage() {
  const { inbox } = useApp();
  const { items, error } = useStore(inbox);
  const [recorded, setRecorded] = useState<Recorded | null>(null);
  const { count, end } = useCardsNear();
  const shown = (items ?? []).slice(0, count);
  const current = useCurrent(shown.map(keyOf));
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
          <CopyJson what={text.inbox.title} value={() => [...items]} />
        )
      }
    >
      <div className="grid max-w-6xl gap-4">
        <Failure error={error}>
          <Button size="small" onPress={inbox.refresh} className="justify-self-start">
            {text.app.tryAgain}
          </Button>
        </Failure>
        <Tour items={items} />
        <RecordedLine recorded={recorded} items={items} />
        {items === null && error === null ? <PageSkeleton label={text.inbox.loading} /> : null}
        {items === null || items.length === 0 ? null : (
          <ul className="grid gap-4">
            {shown.map((item, index) => {
              const key = keyOf(item);
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
                      setRecorded(sentence === null ? null : { sentence, to: whereOf(item) });
                      inbox.refresh();
                    }}
                  />
                </li>
              );
            })}
            {shown.length < items.length ? (
              <li key={count} ref={end} aria-hidden className="skeleton h-40 rounded-lg" />
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
      return <UnknownEffect item={item} {...rest} />;
    case 'question':
      return <Question item={item} {...rest} />;
    case 'approval':
    case 'set_aside':
    case 'stopped':
    case 'incident':
      return <OneAct item={item} {...rest} />;
  }
}

/** Identifies an item and its occurrence: an outcome that is unknown again needs a new card. */
function keyOf(item: InboxItem): string {
  switch (item.type) {
    case 'unknown_effect': {
      const { id, resolutions } = item.mutation;
      // Undone and superseded decisions don't replace the card.
      const done = resolutions.filter(({ status }) => status === 'carried_out');
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
    case 'incident':
      return item.incidentId;
  }
}

const whereOf = (item: InboxItem): string =>
  'handlerRunId' in item ? href.run(item.handlerRunId) : href.runs({ workflowId: item.workflowId });

interface RecordedLineProps {
  readonly recorded: Recorded | null;
  readonly items: readonly InboxItem[] | null;
}

/** Stays after the card is gone and takes over its focus. */
function RecordedLine({ recorded, items }: RecordedLineProps) {
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
