// A page's store lives as long as the page shows the same thing.
import { useLayoutEffect, useMemo } from 'react';

export function useOpenStore<Store extends { open(): () => void }>(
  create: () => Store,
  keys: readonly unknown[],
): Store {
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- `keys` says what the store is of.
  const store = useMemo(create, keys);
  // Before what else the page asks: it is what the reader came for.
  useLayoutEffect(() => store.open(), [store]);
  return store;
}
