// Whether the window is too narrow for list columns.
import { useSyncExternalStore } from 'react';

/** Must match --breakpoint-md and --breakpoint-lg, because row positions depend on them. */
const QUERIES = { md: '(width < 700px)', lg: '(width < 1040px)' } as const;

export function useIsNarrow(breakpoint: keyof typeof QUERIES): boolean {
  const query = QUERIES[breakpoint];
  return useSyncExternalStore(
    (onChange) => {
      const list = matchMedia(query);
      list.addEventListener('change', onChange);
      return () => list.removeEventListener('change', onChange);
    },
    () => matchMedia(query).matches,
  );
}
