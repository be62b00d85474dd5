// A virtualised live list. It reports the visible rows to the store, which decides what to load and
// when new rows appear.
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { useStore } from 'zustand';
import { moveFocus, stepFocus } from '#renderer/lists/row-focus.ts';
import { useRowNavigation } from '#renderer/lists/use-row-navigation.ts';
import type { Row } from '#renderer/stores/list/list-rows.ts';
import type { ListStore } from '#renderer/stores/list/list-store.ts';
import { NewRowsButton } from '#renderer/ui/buttons/new-rows-button.tsx';
import { useIsNarrow } from '#renderer/ui/layout/use-is-narrow.ts';

const FRAME = 'rounded-lg bg-surface shadow-raised ring-1 ring-line';
/** Rows rendered beyond the viewport, so that fast scrolling shows no gap. */
const OVERSCAN = 12;
const INITIAL_OVERSCAN = 2;
const OVERSCAN_DELAY_MS = 50;
/** Closer to the top than this counts as at the top, because trackpads rarely stop at zero. */
const TOP_TOLERANCE_PX = 4;

export interface Column {
  readonly name: string;
  /** Shown instead of the name, which stays for screen readers. */
  readonly content?: ReactNode;
  readonly className?: string;
}

export interface LiveListProps<R extends Row> {
  readonly store: ListStore<R>;
  readonly label: string;
  readonly columns: readonly Column[];
  /** Class of the grid columns on wide screens, for header and rows. */
  readonly grid: string;
  /** Row heights in pixels, used for positioning. */
  readonly rowHeight: { readonly wide: number; readonly narrow: number };
  readonly waitingText: (waiting: number, more: boolean) => string;
  /** Renders one row. Must be a stable function, so that unchanged rows don't re-render. */
  readonly children: (row: R) => ReactNode;
}

export function LiveList<R extends Row>(props: LiveListProps<R>) {
  const { store, label, columns, grid, rowHeight, waitingText, children } = props;
  const rows = useStore(store, (state) => state.shown);
  const isComplete = useStore(store, (state) => state.next === null);
  const waiting = useStore(store, (state) => state.waiting.length);
  const hasMoreWaiting = useStore(store, (state) => state.hasMoreWaiting);
  const scroller = useRef<HTMLDivElement>(null);
  const height = useIsNarrow('lg') ? rowHeight.narrow : rowHeight.wide;
  // Stable, because a new function would make the virtualizer measure all rows again.
  const keyOf = useCallback((index: number) => rows[index]?.id ?? index, [rows]);
  // oxlint-disable-next-line react/incompatible-library -- the React compiler isn't used.
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: keyOf,
    overscan: useOverscan(rows.length > 0),
  });
  useEffect(() => virtualizer.measure(), [virtualizer, height]);

  const step = (by: 1 | -1): void => {
    if (scroller.current) stepFocus(scroller.current, by, rows.length, virtualizer);
  };
  useRowNavigation(step);

  const items = virtualizer.getVirtualItems();
  const first = virtualizer.range?.startIndex ?? 0;
  const last = virtualizer.range?.endIndex ?? 0;
  const isAtTop = (virtualizer.scrollOffset ?? 0) <= TOP_TOLERANCE_PX;
  useEffect(
    () => store.setView({ first, last, isAtTop }),
    [store, first, last, isAtTop, rows.length],
  );

  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <NewRowsButton
        edge="top"
        newCount={waiting}
        label={waitingText(waiting, hasMoreWaiting)}
        onPress={() => {
          store.showWaiting();
          scroller.current?.scrollTo({ top: 0 });
        }}
      />
      <div
        role="table"
        aria-label={label}
        aria-rowcount={isComplete ? rows.length + 1 : -1}
        className={`flex min-h-0 flex-col ${FRAME}`}
      >
        {/* The gutters match, so that columns stay aligned beside a scrollbar. */}
        <div
          role="rowgroup"
          className="hidden shrink-0 overflow-hidden border-b border-line [scrollbar-gutter:stable] lg:block"
        >
          <div
            role="row"
            aria-rowindex={1}
            className={`grid h-8 items-center gap-x-4 px-4 text-xs text-muted ${grid}`}
          >
            {columns.map(({ name, content, className = '' }) => (
              <span key={name} role="columnheader" className={className}>
                {content === undefined ? name : <span className="sr-only">{name}</span>}
                {content}
              </span>
            ))}
          </div>
        </div>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrow keys move between its links. */}
        <div
          ref={scroller}
          role="rowgroup"
          onKeyDown={(event) => moveFocus(event, rows.length, virtualizer)}
          // The list keeps rows in place itself, so the browser's scroll anchoring is off.
          className="relative min-h-0 overflow-y-auto overscroll-contain rounded-b-lg [overflow-anchor:none] [scrollbar-gutter:stable]"
        >
          <div
            role="presentation"
            className="relative"
            style={{ height: `${virtualizer.getTotalSize()}px` }}
          >
            {items.map(({ index, key, start, size }) => {
              const row = rows[index];
              return row ? (
                <LiveRow key={key} row={row} index={index} start={start} size={size}>
                  {children as (row: Row) => ReactNode}
                </LiveRow>
              ) : null;
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

/** Renders few extra rows at first, so that the first rows appear sooner. */
function useOverscan(hasRows: boolean): number {
  const [overscan, setOverscan] = useState(INITIAL_OVERSCAN);
  useEffect(() => {
    if (!hasRows) return undefined;
    const timer = setTimeout(() => setOverscan(OVERSCAN), OVERSCAN_DELAY_MS);
    return () => clearTimeout(timer);
  }, [hasRows]);
  return overscan;
}

interface LiveRowProps {
  readonly row: Row;
  readonly index: number;
  readonly start: number;
  readonly size: number;
  readonly children: (row: Row) => ReactNode;
}

const LiveRow = memo(function LiveRow({ row, index, start, size, children }: LiveRowProps) {
  return (
    <div
      role="row"
      // Row 1 is the header.
      aria-rowindex={index + 2}
      data-index={index}
      data-row={row.id}
      className="absolute inset-x-0 border-b border-line last:border-b-0 hover:bg-hover focus-within:bg-hover"
      style={{ height: `${size}px`, transform: `translateY(${start}px)` }}
    >
      {children(row)}
    </div>
  );
});

export function ListSkeleton({ label }: { readonly label: string }) {
  return (
    <div role="status" aria-label={label} className={`${FRAME} divide-y divide-line`}>
      {['w-40', 'w-56', 'w-48', 'w-60', 'w-44', 'w-52'].map((width) => (
        <div key={width} className="flex h-11 items-center gap-6 px-4">
          <span className="skeleton h-5 w-24 rounded-full" />
          <span className={`skeleton h-3.5 max-w-1/2 ${width}`} />
        </div>
      ))}
    </div>
  );
}
