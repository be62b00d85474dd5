// The one key listener for all actions.
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { useActionRegistry } from '#renderer/shell/actions.ts';
import { isTakenByElement, matchKeys, nameOfPress, SEQUENCE_MS } from '#renderer/shell/keys.ts';
import { settings } from '#renderer/shell/settings.ts';

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
      // Pages behind a dialog must not react, and single keys can be turned off.
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
