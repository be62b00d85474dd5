// Actions of the current page: listed in the command palette, triggered by keys, and shown in the
// shortcut sheet. A page registers its actions while it is shown:
//
//   useCommands(
//     () => [{ id: 'runs.filter', name: text.runs.find, group: 'page', keys: '/', run: focusIt }],
//     [focusIt],
//   );
//
// Pages to navigate to are in `nav-items.ts`. Keys: `j`, `?`, `Escape`, `g r` (a sequence) or `mod+k`
// (Ctrl, or ⌘ on a Mac). If two actions have the same keys, the last one registered wins, because it
// is on top.
import { createContext, use, useEffect, useMemo, useRef } from 'react';
import type { LucideIcon } from 'lucide-react';
import { createStore, type StoreApi } from 'zustand/vanilla';

/** In display order. */
export const COMMAND_GROUPS = ['page', 'workflow', 'go', 'app'] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

export interface Command {
  /** Unique, in the form `page.what`. */
  readonly id: string;
  /** Label in the palette and the sheet. */
  readonly name: string;
  readonly group: CommandGroup;
  readonly keys?: string;
  /** Extra search terms for the palette. */
  readonly keywords?: string;
  readonly icon?: LucideIcon;
  /** Useful only with its key (next, previous): in the sheet, not in the palette. */
  readonly isShortcutOnly?: boolean;
  /** Listed in the palette only if it matches what was typed. */
  readonly isSearchOnly?: boolean;
  /**
   * Only navigates, opens a form, or changes how this window looks. The palette preselects no other
   * command of the groups `page` and `app`.
   */
  readonly isHarmless?: boolean;
  run(): void;
}

export interface CommandRegistry {
  /** Newest last. */
  readonly commands: StoreApi<readonly Command[]>;
  /** Unregisters when the returned function is called. */
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

/** Registers the commands while the component is mounted, and again when `deps` change. */
export function useCommands(
  createCommands: () => readonly Command[],
  deps: readonly unknown[],
): void {
  const registry = useCommandRegistry();
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the caller passes them, like for an effect.
  const commands = useMemo(createCommands, deps);
  useEffect(() => registry.register(commands), [registry, commands]);
}

/** Registers one command of the page while the component is mounted. Only `run` may change. */
export function usePageCommand(command: Omit<Command, 'group'>): void {
  const latest = useRef(command);
  useEffect(() => {
    latest.current = command;
  });
  useCommands(() => [{ ...command, group: 'page', run: () => latest.current.run() }], [command.id]);
}
