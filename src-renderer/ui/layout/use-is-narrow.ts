// Whether the window is below a width at which lists fold their columns.
import { useSyncExternalStore } from 'react';

/** The same as --breakpoint-md and --breakpoint-lg: rows are placed by what CSS makes of them. */
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
