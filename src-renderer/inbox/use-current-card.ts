// The current card is the one shortcuts act on: the focused card, or the last one that had focus.
// If it disappears, the next one takes over.
import { useState } from 'react';
import { useCommands } from '#renderer/commands/command-registry.ts';
import { text } from '#renderer/text/text.ts';

export interface CurrentCard {
  readonly key: string | null;
  set(key: string): void;
}

export function useCurrentCard(keys: readonly string[]): CurrentCard {
  const [chosen, setChosen] = useState<{ key: string; index: number } | null>(null);
  const index = chosen === null ? 0 : keys.indexOf(chosen.key);
  const key = keys[index === -1 ? Math.min(chosen?.index ?? 0, keys.length - 1) : index] ?? null;
  const all = keys.join('\n');

  const set = (next: string): void => setChosen({ key: next, index: keys.indexOf(next) });
  useCommands(() => {
    const move = (by: number): void => {
      const list = all === '' ? [] : all.split('\n');
      const from = key === null ? -1 : list.indexOf(key);
      const to = list[Math.min(Math.max(from + by, 0), list.length - 1)];
      if (to !== undefined) cardElement(to)?.focus();
    };
    return [
      {
        id: 'inbox.next',
        name: text.inbox.next,
        group: 'page',
        keys: 'j',
        isShortcutOnly: true,
        run: () => move(isCardFocused() ? 1 : 0),
      },
      {
        id: 'inbox.previous',
        name: text.inbox.previous,
        group: 'page',
        keys: 'k',
        isShortcutOnly: true,
        run: () => move(isCardFocused() ? -1 : 0),
      },
    ];
  }, [all, key]);
  return { key, set };
}

const cardElement = (key: string): HTMLElement | null =>
  document.querySelector(`[data-card="${CSS.escape(key)}"]`);

/** The first key press focuses the current card; only the next one moves on. */
const isCardFocused = (): boolean => document.activeElement?.closest('[data-card]') != null;
