// A session's log: virtualised. Follows the end while the reader is there; elsewhere it stays and
// counts new records.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { EventRow } from '#renderer/sessions/event-row.tsx';
import { useStickToEnd } from '#renderer/lists/use-stick-to-end.ts';
import type { SessionStore } from '#renderer/stores/session-store.ts';
import { text } from '#renderer/text/text.ts';
import { JumpToNewest } from '#renderer/ui/buttons/jump-to-newest.tsx';
import { useIsNarrow } from '#renderer/ui/layout/use-is-narrow.ts';

const ROW_HEIGHT = { wide: 37, narrow: 57 } as const;

export function EventLog({ store }: { readonly store: SessionStore }) {
  const log = useStore(store, (state) => state.log);
  const total = useStore(store, (state) => state.snapshot?.lastRunSeq ?? null);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useIsNarrow('md');
  // oxlint-disable-next-line react/incompatible-library -- the React compiler isn't used.
  const virtualizer = useVirtualizer({
    count: total ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? ROW_HEIGHT.narrow : ROW_HEIGHT.wide),
    overscan: 10,
  });
  const { newCount, scrollToEnd } = useStickToEnd(scroller, virtualizer, total ?? 0);

  const items = virtualizer.getVirtualItems();
  const first = (items[0]?.index ?? 0) + 1;
  const last = (items.at(-1)?.index ?? -1) + 1;
  useEffect(() => store.setVisibleRange(first, last), [store, first, last]);

  const toggle = (seq: number): void => {
    const after = new Set(open);
    if (!after.delete(seq)) {
      after.add(seq);
      // A record opened at the bottom edge would expand out of view. Its height is known a frame
      // later.
      setTimeout(() => virtualizer.scrollToIndex(seq - 1, { align: 'auto' }), 50);
    }
    setOpen(after);
  };

  return (
    <section className="relative flex h-[70dvh] min-h-80 flex-col rounded-lg bg-surface shadow-raised ring-1 ring-line lg:h-auto">
      <header className="flex h-10 shrink-0 items-center justify-between border-b border-line px-4">
        <h2 className="text-[0.8125rem] font-semibold">{text.log.title}</h2>
        <span className="tabular text-[0.8125rem] text-muted">
          {total === null ? null : text.log.records(total)}
        </span>
      </header>
      {total === 0 ? <p className="px-4 py-6 text-muted">{text.log.empty}</p> : null}
      <div
        ref={scroller}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard.
        tabIndex={0}
        role="group"
        aria-label={text.log.title}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain rounded-b-lg -outline-offset-2 [overflow-anchor:none]"
      >
        <ol className="relative" style={{ height: `${virtualizer.getTotalSize()}px` }}>
          {items.map(({ index, start }) => (
            <li
              key={index}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-setsize={total ?? 0}
              aria-posinset={index + 1}
              className="absolute inset-x-0 border-b border-line"
              style={{ transform: `translateY(${start}px)` }}
            >
              <EventRow
                seq={index + 1}
                record={log.at(index + 1)}
                isOpen={open.has(index + 1)}
                onToggle={() => toggle(index + 1)}
              />
            </li>
          ))}
        </ol>
      </div>
      <JumpToNewest newCount={newCount} label={text.log.newRecords} onPress={scrollToEnd} />
    </section>
  );
}
