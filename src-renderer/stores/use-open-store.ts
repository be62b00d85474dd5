// Opens a page's store while the page shows the same thing.
import { useLayoutEffect, useMemo } from 'react';

export function useOpenStore<Store extends { open(): () => void }>(
  create: () => Store,
  keys: readonly unknown[],
): Store {
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- `keys` identifies the store.
  const store = useMemo(create, keys);
  // A layout effect, so that the page's main request goes first.
  useLayoutEffect(() => store.open(), [store]);
  return store;
}
