// Listens for the keys of all actions, in one place.
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { useActionRegistry } from '#renderer/commands/command-registry.ts';
import {
  isTakenByElement,
  matchKeys,
  nameOfPress,
  SEQUENCE_MS,
} from '#renderer/commands/match-keys.ts';
import { settings } from '#renderer/shell/preferences.ts';

export function useKeys(): void {
  const registry = useActionRegistry();
  const singleKeys = useStore(settings, (state) => state.singleKeys);
  useEffect(() => {
    let before: { readonly name: string; readonly at: number } | null = null;
    const onPress = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      const pressed = nameOfPress(event);
      if (pressed === null || isTakenByElement(event.target, pressed)) return;
      const isModified = pressed.startsWith('mod+');
      // What lies behind a dialog must not be done; and single keys can be switched off.
      if (!isModified && (!singleKeys || isDialogOpen())) return;
      const earlier = before && event.timeStamp - before.at < SEQUENCE_MS ? before.name : null;
      const { action, pending } = matchKeys(registry.actions.getState(), earlier, pressed);
      before = pending === null ? null : { name: pending, at: event.timeStamp };
      if (action === null) return;
      event.preventDefault();
      action.run();
    };
    window.addEventListener('keydown', onPress);
    return () => window.removeEventListener('keydown', onPress);
  }, [registry, singleKeys]);
}

const isDialogOpen = (): boolean => document.querySelector('[role="dialog"]') !== null;
