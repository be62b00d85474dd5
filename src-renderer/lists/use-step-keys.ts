// `j` and `k` move through a list like the arrow keys.
import { useEffect, useRef } from 'react';
import { useActions } from '#renderer/shell/actions.ts';
import { text } from '#renderer/text/text.ts';

export function useStepKeys(step: (by: 1 | -1) => void): void {
  const latest = useRef(step);
  useEffect(() => {
    latest.current = step;
  });
  useActions(
    () => [
      {
        id: 'list.next',
        name: text.app.nextRow,
        group: 'page',
        keys: 'j',
        keysOnly: true,
        run: () => latest.current(1),
      },
      {
        id: 'list.previous',
        name: text.app.previousRow,
        group: 'page',
        keys: 'k',
        keysOnly: true,
        run: () => latest.current(-1),
      },
    ],
    [],
  );
}
