// `j` and `k` move through a list like the arrow keys.
import { useEffect, useRef } from 'react';
import { useCommands } from '#renderer/commands/command-registry.ts';
import { text } from '#renderer/text/text.ts';

export function useRowNavigation(moveBy: (by: 1 | -1) => void): void {
  const latest = useRef(moveBy);
  useEffect(() => {
    latest.current = moveBy;
  });
  useCommands(
    () => [
      {
        id: 'list.next',
        name: text.app.nextRow,
        group: 'page',
        keys: 'j',
        isShortcutOnly: true,
        run: () => latest.current(1),
      },
      {
        id: 'list.previous',
        name: text.app.previousRow,
        group: 'page',
        keys: 'k',
        isShortcutOnly: true,
        run: () => latest.current(-1),
      },
    ],
    [],
  );
}
