// The current card is the one shortcuts act on: the focused card, or the last one that had focus.
// If it disappears, the next one takes over.
import { useState } from 'react';
import { useActions } from '#renderer/shell/actions.ts';
import { text } from '#renderer/text/text.ts';

export interface Current {
  readonly key: string | null;
  set(key: string): void;
}

export function useCurrent(keys: readonly string[]): Current {
  const [chosen, setChosen] = useState<{ key: string; place: number } | null>(null);
  const place = chosen === null ? 0 : keys.indexOf(chosen.key);
  const key = keys[place === -1 ? Math.min(chosen?.place ?? 0, keys.length - 1) : place] ?? null;
  const all = keys.join('\n');

  const set = (next: string): void => setChosen({ key: next, place: keys.indexOf(next) });
  useActions(() => {
    const move = (by: number): void => {
      const list = all === '' ? [] : all.split('\n');
      const from = key === null ? -1 : list.indexOf(key);
      const to = list[Math.min(Math.max(from + by, 0), list.length - 1)];
      if (to !== undefined) cardOf(to)?.focus();
    };
    return [
      {
        id: 'inbox.next',
        name: text.inbox.next,
        group: 'page',
        keys: 'j',
        keysOnly: true,
        run: () => move(isCardFocused() ? 1 : 0),
      },
      {
        id: 'inbox.previous',
        name: text.inbox.previous,
        group: 'page',
        keys: 'k',
        keysOnly: true,
        run: () => move(isCardFocused() ? -1 : 0),
      },
    ];
  }, [all, key]);
  return { key, set };
}

const cardOf = (key: string): HTMLElement | null =>
  document.querySelector(`[data-card="${CSS.escape(key)}"]`);

/** The first key press focuses the current card; only the next one moves on. */
const isCardFocused = (): boolean => document.activeElement?.closest('[data-card]') != null;
