// Keeps the end of a growing list in view while the reader is there, and counts new rows otherwise.
import type { Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';

/** Closer to the end than this counts as at the end. About one row. */
const END_TOLERANCE_PX = 40;

export function useStickToEnd(
  scroller: RefObject<HTMLDivElement | null>,
  virtualizer: Virtualizer<HTMLDivElement, Element>,
  total: number,
): { readonly newCount: number; scrollToEnd(): void } {
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

  return { newCount: seenTotal === null ? 0 : Math.max(0, total - seenTotal), scrollToEnd };
}
