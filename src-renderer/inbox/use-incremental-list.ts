// Cards come into being as the reader comes near them: hundreds at once would keep the page waiting.
// Those that are there stay, with what was written into them.
import { useCallback, useState, type RefCallback } from 'react';

const STEP = 8;
/** How far from being seen. */
const NEAR = '1200px 0px';

interface CardsNear {
  /** How many, from the first one, are there. */
  readonly count: number;
  /** What comes after the last of them; a new one whenever there are more. */
  readonly end: RefCallback<Element>;
}

export function useCardsNear(): CardsNear {
  const [count, setCount] = useState(STEP);
  const end = useCallback((element: Element | null) => {
    if (element === null) return undefined;
    const watch = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) setCount((many) => many + STEP);
      },
      { root: element.closest('main'), rootMargin: NEAR },
    );
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return { count, end };
}
