// Whether the window is below the width at which lists fold their columns (--breakpoint-md).
import { useSyncExternalStore } from 'react';

const QUERY = '(width < 700px)';

export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(QUERY).matches);
}

function subscribe(onChange: () => void): () => void {
  const list = matchMedia(QUERY);
  list.addEventListener('change', onChange);
  return () => list.removeEventListener('change', onChange);
}
