// A virtualised list that grows. Keeps its end in view while the reader is there, and counts new rows
// otherwise.
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';

/** Closer to the end than this counts as at the end. About one row. */
const END_TOLERANCE_PX = 40;

export interface GrowingListState {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>;
  /** New rows since the end was last visible. */
  readonly newCount: number;
  scrollToEnd(): void;
}

interface Options {
  readonly total: number;
  /** Estimate in pixels. Shown rows are measured. */
  readonly rowHeight: number;
  readonly overscan: number;
}

export function useGrowingList({ total, rowHeight, overscan }: Options): GrowingListState {
  const scroller = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- the React compiler isn't used.
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan,
  });
  const isAtEnd = useRef(true);
  /** Total when the reader was last at the end. */
  const [seenTotal, setSeenTotal] = useState<number | null>(null);

  const scrollToEnd = (): void => {
    isAtEnd.current = true;
    setSeenTotal(null);
    if (total > 0) virtualizer.scrollToIndex(total - 1, { align: 'end' });
  };

  useLayoutEffect(() => {
    if (isAtEnd.current) scrollToEnd();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only growth scrolls.
  }, [total]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const onScroll = (): void => {
      const left = element.scrollHeight - element.scrollTop - element.clientHeight;
      isAtEnd.current = left <= END_TOLERANCE_PX;
      setSeenTotal((seen) => (isAtEnd.current ? null : (seen ?? total)));
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, [scroller, total]);

  const newCount = seenTotal === null ? 0 : Math.max(0, total - seenTotal);
  return { scroller, virtualizer, newCount, scrollToEnd };
}
