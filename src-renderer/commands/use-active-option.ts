// The option of the palette that Enter runs. React Aria's Autocomplete decides that before it knows the
// new results and keeps its choice when the list changes; here it follows from the list itself.
import { useState, type KeyboardEvent } from 'react';
import type { Command } from '#renderer/commands/command-registry.ts';

interface ActiveOption {
  /** Among `commands`; -1: none. */
  readonly index: number;
  moveTo(index: number): void;
  onKeyDown(event: KeyboardEvent): void;
}

/** The option that the person moved to, until other text is typed or the option is gone. */
export function useActiveOption(
  typed: string,
  commands: readonly Command[],
  choose: (command: Command) => void,
): ActiveOption {
  const [moved, setMoved] = useState<{ readonly id: string; readonly typed: string } | null>(null);
  const movedIndex = moved?.typed === typed ? commands.findIndex(({ id }) => id === moved.id) : -1;
  const index = movedIndex === -1 ? preselectedIndex(commands) : movedIndex;

  const moveTo = (next: number): void => {
    const command = commands[next];
    if (command) setMoved({ id: command.id, typed });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      const command = commands[index];
      if (command) choose(command);
      return;
    }
    const next = nextIndex(event, index, commands.length);
    if (next === null) return;
    event.preventDefault();
    moveTo(next);
  };
  return { index, moveTo, onKeyDown };
}

/**
 * The first, unless it acts: Enter right after opening the palette or after a typing error must not
 * settle, cancel, pause or run anything.
 */
export function preselectedIndex([first]: readonly Command[]): number {
  return first !== undefined && isHarmless(first) ? 0 : -1;
}

function isHarmless({ group, isHarmless: isMarked = false }: Command): boolean {
  return isMarked || group === 'go' || group === 'workflow';
}

/** Null for a key that does not move. At the ends it goes round. */
function nextIndex({ key }: KeyboardEvent, index: number, count: number): number | null {
  if (count === 0) return null;
  if (key === 'ArrowDown') return (index + 1) % count;
  if (key === 'ArrowUp') return index <= 0 ? count - 1 : index - 1;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}
