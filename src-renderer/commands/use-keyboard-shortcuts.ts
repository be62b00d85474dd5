// The one key listener for all actions.
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { useCommandRegistry } from '#renderer/commands/command-registry.ts';
import {
  isHandledByElement,
  matchKeys,
  keyName,
  KEY_SEQUENCE_MS,
} from '#renderer/commands/match-keys.ts';
import { preferences } from '#renderer/shell/preferences.ts';

export function useKeyboardShortcuts(): void {
  const registry = useCommandRegistry();
  const singleKeys = useStore(preferences, (state) => state.singleKeys);
  useEffect(() => {
    let before: { readonly name: string; readonly at: number } | null = null;
    const onPress = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      const pressed = keyName(event);
      if (pressed === null || isHandledByElement(event.target, pressed)) return;
      const isModified = pressed.startsWith('mod+');
      // Pages behind a dialog must not react, and single keys can be turned off.
      if (!isModified && (!singleKeys || isDialogOpen())) return;
      const earlier = before && event.timeStamp - before.at < KEY_SEQUENCE_MS ? before.name : null;
      const { command, pending } = matchKeys(registry.commands.getState(), earlier, pressed);
      before = pending === null ? null : { name: pending, at: event.timeStamp };
      if (command === null) return;
      event.preventDefault();
      command.run();
    };
    window.addEventListener('keydown', onPress);
    return () => window.removeEventListener('keydown', onPress);
  }, [registry, singleKeys]);
}

const isDialogOpen = (): boolean => document.querySelector('[role="dialog"]') !== null;
