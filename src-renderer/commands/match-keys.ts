// Matches key presses to actions. Typing in a field is never a shortcut.
import type { Command } from '#renderer/commands/command-registry.ts';

/** A sequence is forgotten after this pause. */
export const KEY_SEQUENCE_MS = 1_200;

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The press in the notation of actions: `mod+k`, `g`, `?`. Null if no action can have it. */
export function keyName({ key, ctrlKey, metaKey, altKey }: KeyPress): string | null {
  if (altKey || key === 'Shift' || key === 'Control' || key === 'Meta') return null;
  const name = key === ' ' ? 'Space' : key.length === 1 ? key.toLowerCase() : key;
  return ctrlKey || metaKey ? `mod+${name}` : name;
}

/** An earlier key counts only if a sequence starts with it. */
export function matchKeys(
  commands: readonly Command[],
  before: string | null,
  pressed: string,
): { readonly command: Command | null; readonly pending: string | null } {
  const find = (keys: string): Command | null =>
    commands.findLast((command) => command.keys === keys) ?? null;
  const both = before === null ? null : find(`${before} ${pressed}`);
  if (both) return { command: both, pending: null };
  const command = find(pressed);
  const begins = command === null && commands.some(({ keys }) => keys?.startsWith(`${pressed} `));
  return { command, pending: begins ? pressed : null };
}

/** Checkboxes and radios don't take letters. */
const TEXT_ENTRY_SELECTOR =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [role="listbox"], [role="menu"]';

/** True if the element uses the key itself: for typing or for moving inside. */
export function isHandledByElement(target: EventTarget | null, pressed: string): boolean {
  if (!(target instanceof HTMLElement) || pressed.startsWith('mod+')) return false;
  if (target.isContentEditable) return true;
  if (pressed === 'Space' && target.closest('button, a, summary, [role="checkbox"]')) return true;
  return target.closest(TEXT_ENTRY_SELECTOR) !== null;
}
