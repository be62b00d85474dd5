// Actions of the current page: listed in the command palette, triggered by keys, and shown in the
// shortcut sheet. A page registers its actions while it is shown:
//
//   useActions(
//     () => [{ id: 'runs.filter', name: text.runs.find, group: 'page', keys: '/', run: focusIt }],
//     [focusIt],
//   );
//
// Pages to navigate to are in `places.ts`. Keys: `j`, `?`, `Escape`, `g r` (a sequence) or `mod+k`
// (Ctrl, or ⌘ on a Mac). If two actions have the same keys, the last one registered wins, because it
// is on top.
import { createContext, use, useEffect, useMemo } from 'react';
import type { LucideIcon } from 'lucide-react';
import { createStore, type StoreApi } from 'zustand/vanilla';

/** In display order. */
export const ACTION_GROUPS = ['page', 'workflow', 'go', 'app'] as const;
export type ActionGroup = (typeof ACTION_GROUPS)[number];

export interface Action {
  /** Unique, in the form `page.what`. */
  readonly id: string;
  /** Label in the palette and the sheet. */
  readonly name: string;
  readonly group: ActionGroup;
  readonly keys?: string;
  /** Extra search terms for the palette. */
  readonly words?: string;
  readonly icon?: LucideIcon;
  /** Useful only with its key (next, previous): in the sheet, not in the palette. */
  readonly keysOnly?: boolean;
  /** Listed in the palette only if it matches what was typed. */
  readonly onlyFound?: boolean;
  run(): void;
}

export interface ActionRegistry {
  /** Newest last. */
  readonly actions: StoreApi<readonly Action[]>;
  /** Unregisters when the returned function is called. */
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

/** Registers the actions while the component is mounted, and again when `deps` change. */
export function useActions(make: () => readonly Action[], deps: readonly unknown[]): void {
  const registry = useActionRegistry();
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the caller passes them, like for an effect.
  const actions = useMemo(make, deps);
  useEffect(() => registry.register(actions), [registry, actions]);
}
