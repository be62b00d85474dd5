// Shortcuts of the current card. The handler is read when a key is pressed, so cards don't
// re-register on every render.
import { useEffect, useRef } from 'react';
import { useActions, type Action } from '#renderer/shell/actions.ts';

export type CardKey = Omit<Action, 'group' | 'run'>;

/** `run` gets the id of the action. */
export function useCardKeys(
  isCurrent: boolean,
  keys: readonly CardKey[],
  run: (id: string) => void,
): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  const offered = isCurrent ? JSON.stringify(keys) : '[]';
  useActions(
    () =>
      (JSON.parse(offered) as CardKey[]).map((key) => ({
        ...key,
        group: 'page',
        run: () => latest.current(key.id),
      })),
    [offered],
  );
}
