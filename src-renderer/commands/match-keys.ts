// Which action a press of keys means. Pure but for the element under the cursor: what is typed
// into a field is never a shortcut.
import type { Command } from '#renderer/commands/command-registry.ts';

/** Longer between two keys, and the first is forgotten. */
export const KEY_SEQUENCE_MS = 1_200;

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** As actions name it: `mod+k`, `g`, `?`. Null for a press that no action can have. */
export function keyName({ key, ctrlKey, metaKey, altKey }: KeyPress): string | null {
  if (altKey || key === 'Shift' || key === 'Control' || key === 'Meta') return null;
  const name = key === ' ' ? 'Space' : key.length === 1 ? key.toLowerCase() : key;
  return ctrlKey || metaKey ? `mod+${name}` : name;
}

/** What was pressed before counts only while an action begins with it. */
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

/** A checkbox or a radio takes no letters. */
const TEXT_ENTRY_SELECTOR =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [role="listbox"], [role="menu"]';

/** A press here is the element's own: it is being typed into, or it moves within itself. */
export function isHandledByElement(target: EventTarget | null, pressed: string): boolean {
  if (!(target instanceof HTMLElement) || pressed.startsWith('mod+')) return false;
  if (target.isContentEditable) return true;
  if (pressed === 'Space' && target.closest('button, a, summary, [role="checkbox"]')) return true;
  return target.closest(TEXT_ENTRY_SELECTOR) !== null;
}
