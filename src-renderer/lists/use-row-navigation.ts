// `j` and `k` move through a list like the arrow keys.
import { usePageCommand } from '#renderer/commands/command-registry.ts';
import { text } from '#renderer/text/text.ts';

export function useRowNavigation(moveBy: (by: 1 | -1) => void): void {
  usePageCommand({
    id: 'list.next',
    name: text.app.nextRow,
    keys: 'j',
    isShortcutOnly: true,
    run: () => moveBy(1),
  });
  usePageCommand({
    id: 'list.previous',
    name: text.app.previousRow,
    keys: 'k',
    isShortcutOnly: true,
    run: () => moveBy(-1),
  });
}
