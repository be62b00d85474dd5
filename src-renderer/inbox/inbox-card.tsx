// The frame of an inbox card: type, title, workflow and age.
import { useId, type ReactNode } from 'react';
import type { InboxItem } from '#shared/api/inbox.ts';
import { href } from '#renderer/navigation/router.ts';
import { text } from '#renderer/text/text.ts';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { InboxChip } from '#renderer/ui/display/status-chip.tsx';
import { RelativeTime, UpcomingTime } from '#renderer/ui/display/time.tsx';

/** Props that the page passes to every card. */
export interface CardProps<Item extends InboxItem = InboxItem> {
  readonly item: Item;
  readonly card: CardPosition;
  /** Null if the decision was undone. */
  readonly onRecorded: (sentence: string | null) => void;
}

export interface CardPosition {
  readonly key: string;
  readonly isCurrent: boolean;
  readonly onFocus: () => void;
}

interface Props {
  readonly item: InboxItem;
  readonly card: CardPosition;
  readonly title: string;
  readonly children: ReactNode;
}

export function InboxCard({ item, card, title, children }: Props) {
  const titleId = useId();
  const link = 'rounded-sm hover:text-accent hover:underline';
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it only tracks the focus.
    <article
      aria-labelledby={titleId}
      aria-current={card.isCurrent ? 'true' : undefined}
      data-card={card.key}
      tabIndex={-1}
      onFocus={card.onFocus}
      className={`scroll-my-4 grid gap-3 rounded-lg bg-surface px-4 py-4 shadow-raised ring-1 outline-none sm:px-5 ${card.isCurrent ? 'ring-accent' : 'ring-line'}`}
    >
      <header className="grid gap-1.5">
        <div className="flex items-center justify-between gap-3 text-[0.8125rem] text-muted">
          <InboxChip status={item.type} hasTooltip />
          <RelativeTime at={item.at} />
        </div>
        <h2 id={titleId} className="text-[0.9375rem] font-semibold wrap-anywhere">
          <bdi>{title}</bdi>
        </h2>
        <p className="flex flex-wrap gap-x-2 text-[0.8125rem] text-muted">
          {item.workflowId === null ? null : (
            <Link
              to={href.runs({ workflowId: item.workflowId })}
              className={`${link} wrap-anywhere`}
            >
              {title === item.workflowName ? text.inbox.runs : item.workflowName}
            </Link>
          )}
          {'handlerRunId' in item ? (
            <>
              <span aria-hidden>·</span>
              <Link to={href.run(item.handlerRunId)} className={link}>
                {text.inbox.run}
              </Link>
            </>
          ) : null}
        </p>
      </header>
      {'wait' in item && item.wait !== null ? (
        <p className="text-[0.8125rem] text-muted">
          {text.inbox.waitEnd(item.wait.otherwise)} <UpcomingTime at={item.wait.endsAt} />
        </p>
      ) : null}
      {children}
    </article>
  );
}

/** Shown from when the host saved the decision until the ledger has the result. */
export function AwaitingNotice({ isShown }: { readonly isShown: boolean }) {
  return (
    <p role="status" className="text-[0.8125rem] text-muted empty:hidden">
      {isShown ? text.inbox.awaiting : null}
    </p>
  );
}
