// Cards come into being as the reader comes near them: hundreds at once would keep the page waiting.
// Those that are there stay, with what was written into them.
import { useCallback, useState, type RefCallback } from 'react';

const STEP = 8;
/** How far from being seen. */
const PRELOAD_MARGIN = '1200px 0px';

interface IncrementalList {
  /** How many, from the first one, are there. */
  readonly visibleCount: number;
  /** What comes after the last of them; a new one whenever there are more. */
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
