// Keeps the end of a growing list in view while the reader is there, and counts new rows otherwise.
import type { Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';

/** Closer to the end than this counts as at the end. About one row. */
const END_PX = 40;

export function useFollowEnd(
  scroller: RefObject<HTMLDivElement | null>,
  virtualizer: Virtualizer<HTMLDivElement, Element>,
  total: number,
): { readonly fresh: number; toEnd(): void } {
  const atEnd = useRef(true);
  /** Total when the reader was last at the end. */
  const [seenTotal, setSeenTotal] = useState<number | null>(null);

  const toEnd = (): void => {
    atEnd.current = true;
    setSeenTotal(null);
    if (total > 0) virtualizer.scrollToIndex(total - 1, { align: 'end' });
  };

  useLayoutEffect(() => {
    if (atEnd.current) toEnd();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only growth scrolls.
  }, [total]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const look = (): void => {
      const left = element.scrollHeight - element.scrollTop - element.clientHeight;
      atEnd.current = left <= END_PX;
      setSeenTotal((seen) => (atEnd.current ? null : (seen ?? total)));
    };
    element.addEventListener('scroll', look, { passive: true });
    return () => element.removeEventListener('scroll', look);
  }, [scroller, total]);

  return { fresh: seenTotal === null ? 0 : Math.max(0, total - seenTotal), toEnd };
}
