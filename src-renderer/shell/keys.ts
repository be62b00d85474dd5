// Matches key presses to actions. Typing in a field is never a shortcut.
import type { Action } from '#renderer/shell/actions.ts';

/** A sequence is forgotten after this pause. */
export const SEQUENCE_MS = 1_200;

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The press in the notation of actions: `mod+k`, `g`, `?`. Null if no action can have it. */
export function nameOfPress({ key, ctrlKey, metaKey, altKey }: KeyPress): string | null {
  if (altKey || key === 'Shift' || key === 'Control' || key === 'Meta') return null;
  const name = key === ' ' ? 'Space' : key.length === 1 ? key.toLowerCase() : key;
  return ctrlKey || metaKey ? `mod+${name}` : name;
}

/** An earlier key counts only if a sequence starts with it. */
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

/** Checkboxes and radios don't take letters. */
const TYPED_INTO =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [role="listbox"], [role="menu"]';

/** True if the element uses the key itself: for typing or for moving inside. */
export function isTakenByElement(target: EventTarget | null, pressed: string): boolean {
  if (!(target instanceof HTMLElement) || pressed.startsWith('mod+')) return false;
  if (target.isContentEditable) return true;
  if (pressed === 'Space' && target.closest('button, a, summary, [role="checkbox"]')) return true;
  return target.closest(TYPED_INTO) !== null;
}
