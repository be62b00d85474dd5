// A session's log: virtualised. Follows the end while the reader is there; elsewhere it stays and
// counts new records.
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { EventRow } from '#renderer/sessions/event-row.tsx';
import { GrowingList } from '#renderer/lists/growing-list.tsx';
import { useGrowingList } from '#renderer/lists/use-growing-list.ts';
import type { SessionStore } from '#renderer/stores/session-store.ts';
import { text } from '#renderer/text/text.ts';
import { useIsNarrow } from '#renderer/ui/layout/use-is-narrow.ts';

const ROW_HEIGHT = { wide: 37, narrow: 57 } as const;

export function EventLog({ store }: { readonly store: SessionStore }) {
  const log = useStore(store, (state) => state.log);
  const total = useStore(store, (state) => state.snapshot?.lastRunSeq ?? null);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const isNarrow = useIsNarrow('md');
  const list = useGrowingList({
    total: total ?? 0,
    rowHeight: isNarrow ? ROW_HEIGHT.narrow : ROW_HEIGHT.wide,
    overscan: 10,
  });

  const items = list.virtualizer.getVirtualItems();
  const first = (items[0]?.index ?? 0) + 1;
  const last = (items.at(-1)?.index ?? -1) + 1;
  useEffect(() => store.setVisibleRange(first, last), [store, first, last]);

  const toggle = (seq: number): void => {
    const after = new Set(open);
    if (!after.delete(seq)) {
      after.add(seq);
      // A record opened at the bottom edge would expand out of view. Its height is known a frame
      // later.
      setTimeout(() => list.virtualizer.scrollToIndex(seq - 1, { align: 'auto' }), 50);
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
      <GrowingList
        list={list}
        label={text.log.title}
        newLabel={text.log.newRecords}
        className="min-h-0 flex-1 rounded-b-lg -outline-offset-2"
        rowClassName="border-b border-line"
        setSize={total ?? 0}
      >
        {(index) => (
          <EventRow
            seq={index + 1}
            record={log.at(index + 1)}
            isOpen={open.has(index + 1)}
            onToggle={() => toggle(index + 1)}
          />
        )}
      </GrowingList>
    </section>
  );
}
