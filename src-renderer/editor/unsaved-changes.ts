// Text that a person typed and has not saved, by workflow. It outlives the page that shows it, in a
// browser also a reload of the tab, in the desktop app also its end; it is never sent anywhere.
import { z } from 'zod';

const unsavedSchema = z.strictObject({
  text: z.string(),
  /** Of the file as it was when the first change was made; null: there was none. */
  basedOn: z.string().nullable(),
});
export type Unsaved = z.infer<typeof unsavedSchema>;

/** In the place of a workflow that is not made yet. */
export const NEW = 'new';

const kept = new Map<string, Unsaved>();
/** Of those kept: what is in memory only, and goes with the page. */
const unstored = new Set<string>();

/** The desktop app has one window, which comes back to its storage; of tabs there may be many. */
const storage = (): Storage => (window.holdfast ? localStorage : sessionStorage);
const keyOf = (id: string): string => `holdfast.unsaved.${id}`;

export function keepUnsaved(id: string, unsaved: Unsaved): void {
  kept.set(id, unsaved);
  try {
    storage().setItem(keyOf(id), JSON.stringify(unsaved));
    unstored.delete(id);
  } catch {
    // Full or forbidden: it is still in memory, and leaving asks first.
    unstored.add(id);
  }
}

export function forgetUnsaved(id: string): void {
  kept.delete(id);
  unstored.delete(id);
  storage().removeItem(keyOf(id));
}

export function readUnsaved(id: string): Unsaved | null {
  const known = kept.get(id);
  if (known) return known;
  const text = storage().getItem(keyOf(id));
  if (text === null) return null;
  try {
    const unsaved = unsavedSchema.parse(JSON.parse(text));
    kept.set(id, unsaved);
    return unsaved;
  } catch {
    return null;
  }
}

export const hasUnsaved = (id: string): boolean => readUnsaved(id) !== null;

/**
 * A browser asks before it closes the tab, in its own words: it keeps nothing beyond that. The
 * desktop app does, and asks only where it could not.
 */
export function warnBeforeLeaving(): () => void {
  const ask = (event: BeforeUnloadEvent): void => {
    if (window.holdfast ? unstored.size > 0 : kept.size > 0) event.preventDefault();
  };
  window.addEventListener('beforeunload', ask);
  return () => window.removeEventListener('beforeunload', ask);
}
