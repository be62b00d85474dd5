// Renders cards incrementally as the reader scrolls, because hundreds at once would block the page.
// Rendered cards stay, with any text typed into them.
import { useCallback, useState, type RefCallback } from 'react';

const STEP = 8;
/** Distance from the viewport at which more cards render. */
const PRELOAD_MARGIN = '1200px 0px';

interface IncrementalList {
  /** How many cards are rendered. */
  readonly visibleCount: number;
  /** Sentinel after the last card. Its key changes with every step. */
  readonly endRef: RefCallback<Element>;
}

export function useIncrementalList(): IncrementalList {
  const [visibleCount, setVisibleCount] = useState(STEP);
  const endRef = useCallback((element: Element | null) => {
    if (element === null) return undefined;
    const watch = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting))
          setVisibleCount((many) => many + STEP);
      },
      { root: element.closest('main'), rootMargin: PRELOAD_MARGIN },
    );
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return { visibleCount, endRef };
}
