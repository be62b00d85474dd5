// Which action a press of keys means. Pure but for the element under the cursor: what is typed
// into a field is never a shortcut.
import type { Action } from '#renderer/commands/command-registry.ts';

/** Longer between two keys, and the first is forgotten. */
export const SEQUENCE_MS = 1_200;

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** As actions name it: `mod+k`, `g`, `?`. Null for a press that no action can have. */
export function nameOfPress({ key, ctrlKey, metaKey, altKey }: KeyPress): string | null {
  if (altKey || key === 'Shift' || key === 'Control' || key === 'Meta') return null;
  const name = key === ' ' ? 'Space' : key.length === 1 ? key.toLowerCase() : key;
  return ctrlKey || metaKey ? `mod+${name}` : name;
}

/** What was pressed before counts only while an action begins with it. */
export function matchKeys(
  actions: readonly Action[],
  before: string | null,
  pressed: string,
): { readonly action: Action | null; readonly pending: string | null } {
  const find = (keys: string): Action | null =>
    actions.findLast((action) => action.keys === keys) ?? null;
  const both = before === null ? null : find(`${before} ${pressed}`);
  if (both) return { action: both, pending: null };
  const action = find(pressed);
  const begins = action === null && actions.some(({ keys }) => keys?.startsWith(`${pressed} `));
  return { action, pending: begins ? pressed : null };
}

/** A checkbox or a radio takes no letters. */
const TYPED_INTO =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [role="listbox"], [role="menu"]';

/** A press here is the element's own: it is being typed into, or it moves within itself. */
export function isTakenByElement(target: EventTarget | null, pressed: string): boolean {
  if (!(target instanceof HTMLElement) || pressed.startsWith('mod+')) return false;
  if (target.isContentEditable) return true;
  if (pressed === 'Space' && target.closest('button, a, summary, [role="checkbox"]')) return true;
  return target.closest(TYPED_INTO) !== null;
}
