// Opens a page's store while the page shows the same thing.
import { useLayoutEffect, useMemo } from 'react';

export function useOpenStore<Store extends { open(): () => void }>(
  create: () => Store,
  shown: readonly unknown[],
): Store {
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- `shown` identifies the store.
  const store = useMemo(create, shown);
  // A layout effect, so that the page's main request goes first.
  useLayoutEffect(() => store.open(), [store]);
  return store;
}
