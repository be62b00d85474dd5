// All that can be done from where one is: the command palette lists it, keys start it, and the
// sheet of shortcuts is made from it. A page says what it offers while it is shown:
//
//   useCommands(
//     () => [{ id: 'runs.filter', name: text.runs.find, group: 'page', keys: '/', run: focusIt }],
//     [focusIt],
//   );
//
// Pages to go to stand in `nav-items.ts`. Keys: `j`, `?`, `Escape`, `g r` (one after the other) or
// `mod+k` (Ctrl, or ⌘ on a Mac). Where two actions have the same keys, the one that came last wins:
// what lies on top is meant.
import { createContext, use, useEffect, useMemo } from 'react';
import type { LucideIcon } from 'lucide-react';
import { createStore, type StoreApi } from 'zustand/vanilla';

/** In the order in which they are listed. */
export const COMMAND_GROUPS = ['page', 'workflow', 'go', 'app'] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

export interface Command {
  /** Unique; `page.what`. */
  readonly id: string;
  /** What it does, as a person would say it. */
  readonly name: string;
  readonly group: CommandGroup;
  readonly keys?: string;
  /** Other words by which the palette finds it. */
  readonly keywords?: string;
  readonly icon?: LucideIcon;
  /** Makes sense with its key only (next, previous): in the sheet, not in the palette. */
  readonly isShortcutOnly?: boolean;
  /** One of so many that the palette lists it only for what was typed. */
  readonly isSearchOnly?: boolean;
  /**
   * Only navigates, opens a form, or changes how this window looks. The palette preselects no other
   * command of the groups `page` and `app`.
   */
  readonly isHarmless?: boolean;
  run(): void;
}

export interface CommandRegistry {
  /** The newest last. */
  readonly commands: StoreApi<readonly Command[]>;
  /** Offered until the returned function is called. */
  register(commands: readonly Command[]): () => void;
}

export function createCommandRegistry(): CommandRegistry {
  const store = createStore<readonly Command[]>(() => []);
  return {
    commands: store,
    register(commands) {
      const own = new Set(commands);
      store.setState((known) => [...known, ...commands], true);
      return () => store.setState((known) => known.filter((one) => !own.has(one)), true);
    },
  };
}

export const CommandsContext = createContext(createCommandRegistry());

export const useCommandRegistry = (): CommandRegistry => use(CommandsContext);

/** Offers what `createCommands` returns for as long as the component is shown; anew when `deps` change. */
export function useCommands(
  createCommands: () => readonly Command[],
  deps: readonly unknown[],
): void {
  const registry = useCommandRegistry();
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the caller names them, as for an effect.
  const commands = useMemo(createCommands, deps);
  useEffect(() => registry.register(commands), [registry, commands]);
}
