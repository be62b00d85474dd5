// The keys of the card that is the current one. What they do is looked up when they are pressed, so
// that a card need not offer them anew at each render.
import { useEffect, useRef } from 'react';
import { useActions, type Action } from '#renderer/commands/command-registry.ts';

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
