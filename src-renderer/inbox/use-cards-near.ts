// Renders cards incrementally as the reader scrolls, because hundreds at once would block the page.
// Rendered cards stay, with any text typed into them.
import { useCallback, useState, type RefCallback } from 'react';

const STEP = 8;
/** Distance from the viewport at which more cards render. */
const NEAR = '1200px 0px';

interface CardsNear {
  /** How many cards are rendered. */
  readonly count: number;
  /** Sentinel after the last card. Its key changes with every step. */
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
