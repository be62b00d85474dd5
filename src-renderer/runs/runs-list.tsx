// The rows of the runs list: only those near the reader exist. The store hears where the reader
// is, and decides by that what to load and when new rows may appear.
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowUp } from 'lucide-react';
import { useCallback, useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { RUN_COLUMNS, RunRow, RUN_ROW_HEIGHT } from '#renderer/runs/run-row.tsx';
import { moveFocus } from '#renderer/runs/move-focus.ts';
import type { RunsStore } from '#renderer/stores/runs.ts';
import { text } from '#renderer/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { useIsNarrow } from '#renderer/use-is-narrow.ts';

const FRAME = 'rounded-lg bg-surface shadow-raised ring-1 ring-line';
/** Less than this from the top counts as at the top: a trackpad rarely stops at zero. */
const TOP_PX = 4;

export function RunsList({ store }: { readonly store: RunsStore }) {
  const runs = useStore(store, (state) => state.shown);
  const complete = useStore(store, (state) => state.next === null);
  const scroller = useRef<HTMLDivElement>(null);
  const height = useIsNarrow('lg') ? RUN_ROW_HEIGHT.narrow : RUN_ROW_HEIGHT.wide;
  // A new function at each render would make the virtualizer place all rows anew each time.
  const keyOf = useCallback((index: number) => runs[index]?.id ?? index, [runs]);
  // oxlint-disable-next-line react/incompatible-library -- there is no compiler here to mislead.
  const virtualizer = useVirtualizer({
    count: runs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: keyOf,
    overscan: 12,
  });
  useEffect(() => virtualizer.measure(), [virtualizer, height]);

  const items = virtualizer.getVirtualItems();
  const first = virtualizer.range?.startIndex ?? 0;
  const last = virtualizer.range?.endIndex ?? 0;
  const atTop = (virtualizer.scrollOffset ?? 0) <= TOP_PX;
  useEffect(() => store.look({ first, last, atTop }), [store, first, last, atTop, runs.length]);

  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <WaitingPill store={store} onShow={() => scroller.current?.scrollTo({ top: 0 })} />
      <div
        role="table"
        aria-label={text.runs.title}
        aria-rowcount={complete ? runs.length + 1 : -1}
        className={`flex min-h-0 flex-col ${FRAME}`}
      >
        <Columns />
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys move among its links. */}
        <div
          ref={scroller}
          role="rowgroup"
          onKeyDown={(event) => moveFocus(event, runs.length, virtualizer)}
          // The list itself keeps rows in place; the browser must not do it a second time.
          className="relative min-h-0 overflow-y-auto overscroll-contain rounded-b-lg [overflow-anchor:none]"
        >
          <div
            role="presentation"
            className="relative"
            style={{ height: `${virtualizer.getTotalSize()}px` }}
          >
            {items.map(({ index, key, start, size }) => {
              const run = runs[index];
              return run ? (
                <RunRow key={key} run={run} index={index} top={start} height={size} />
              ) : null;
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

function Columns() {
  const { status, workflow, lane, trigger, started, duration } = text.runs;
  return (
    <div role="rowgroup" className="hidden border-b border-line lg:block">
      <div role="row" aria-rowindex={1} className={`${RUN_COLUMNS} h-8 text-xs text-muted`}>
        {[status, workflow, lane, trigger, started].map((column) => (
          <span key={column} role="columnheader">
            {column}
          </span>
        ))}
        <span role="columnheader" className="text-right">
          {duration}
        </span>
      </div>
    </div>
  );
}

function WaitingPill({
  store,
  onShow,
}: {
  readonly store: RunsStore;
  readonly onShow: () => void;
}) {
  const waiting = useStore(store, (state) => state.waiting.length);
  const more = useStore(store, (state) => state.waitingMore);
  return (
    <div role="status" className="absolute inset-x-0 top-2 z-10 flex justify-center lg:top-10">
      {waiting === 0 ? null : (
        <Button
          look="primary"
          size="small"
          isRound
          className="shadow-overlay"
          onPress={() => {
            store.showWaiting();
            onShow();
          }}
        >
          <ArrowUp aria-hidden className="size-3.5" />
          {text.runs.waiting(waiting, more)}
        </Button>
      )}
    </div>
  );
}

export function RunsSkeleton() {
  return (
    <div role="status" aria-label={text.runs.loading} className={`${FRAME} divide-y divide-line`}>
      {['w-40', 'w-56', 'w-48', 'w-60', 'w-44', 'w-52'].map((width) => (
        <div key={width} className="flex h-11 items-center gap-6 px-4">
          <span className="skeleton h-5 w-24 rounded-full" />
          <span className={`skeleton h-3.5 max-w-1/2 ${width}`} />
        </div>
      ))}
    </div>
  );
}
