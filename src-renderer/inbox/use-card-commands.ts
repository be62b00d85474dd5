// Shortcuts of the current card. The handler is read when a key is pressed, so cards don't
// re-register on every render.
import { useEffect, useRef } from 'react';
import { useCommands, type Command } from '#renderer/commands/command-registry.ts';

export type CardCommand = Omit<Command, 'group' | 'run'>;

/** `run` gets the id of the action. */
export function useCardCommands(
  isCurrent: boolean,
  keys: readonly CardCommand[],
  run: (id: string) => void,
): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  const offered = isCurrent ? JSON.stringify(keys) : '[]';
  useCommands(
    () =>
      (JSON.parse(offered) as CardCommand[]).map((key) => ({
        ...key,
        group: 'page',
        run: () => latest.current(key.id),
      })),
    [offered],
  );
}
