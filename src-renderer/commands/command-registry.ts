// All that can be done from where one is: the command palette lists it, keys start it, and the
// sheet of shortcuts is made from it. A page says what it offers while it is shown:
//
//   useActions(
//     () => [{ id: 'runs.filter', name: text.runs.find, group: 'page', keys: '/', run: focusIt }],
//     [focusIt],
//   );
//
// Pages to go to stand in `places.ts`. Keys: `j`, `?`, `Escape`, `g r` (one after the other) or
// `mod+k` (Ctrl, or ⌘ on a Mac). Where two actions have the same keys, the one that came last wins:
// what lies on top is meant.
import { createContext, use, useEffect, useMemo } from 'react';
import type { LucideIcon } from 'lucide-react';
import { createStore, type StoreApi } from 'zustand/vanilla';

/** In the order in which they are listed. */
export const ACTION_GROUPS = ['page', 'workflow', 'go', 'app'] as const;
export type ActionGroup = (typeof ACTION_GROUPS)[number];

export interface Action {
  /** Unique; `page.what`. */
  readonly id: string;
  /** What it does, as a person would say it. */
  readonly name: string;
  readonly group: ActionGroup;
  readonly keys?: string;
  /** Other words by which the palette finds it. */
  readonly words?: string;
  readonly icon?: LucideIcon;
  /** Makes sense with its key only (next, previous): in the sheet, not in the palette. */
  readonly keysOnly?: boolean;
  /** One of so many that the palette lists it only for what was typed. */
  readonly onlyFound?: boolean;
  run(): void;
}

export interface ActionRegistry {
  /** The newest last. */
  readonly actions: StoreApi<readonly Action[]>;
  /** Offered until the returned function is called. */
  register(actions: readonly Action[]): () => void;
}

export function createActionRegistry(): ActionRegistry {
  const store = createStore<readonly Action[]>(() => []);
  return {
    actions: store,
    register(actions) {
      const own = new Set(actions);
      store.setState((known) => [...known, ...actions], true);
      return () => store.setState((known) => known.filter((one) => !own.has(one)), true);
    },
  };
}

export const ActionsContext = createContext(createActionRegistry());

export const useActionRegistry = (): ActionRegistry => use(ActionsContext);

/** Offers what `make` returns for as long as the component is shown; anew when `deps` change. */
export function useActions(make: () => readonly Action[], deps: readonly unknown[]): void {
  const registry = useActionRegistry();
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the caller names them, as for an effect.
  const actions = useMemo(make, deps);
  useEffect(() => registry.register(actions), [registry, actions]);
}
