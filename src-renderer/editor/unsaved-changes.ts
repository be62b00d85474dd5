// Text that a person typed and has not saved, by workflow. It outlives the page that shows it, in a
// browser also a reload of the tab, in the desktop app also its end; it is never sent anywhere.
import { z } from 'zod';

const unsavedSchema = z.strictObject({
  text: z.string(),
  /** Of the file as it was when the first change was made; null: there was none. */
  basedOn: z.string().nullable(),
});
export type UnsavedText = z.infer<typeof unsavedSchema>;

/** In the place of a workflow that is not made yet. */
export const NEW_WORKFLOW_ID = 'new';

const cache = new Map<string, UnsavedText>();
/** Of those kept: what is in memory only, and goes with the page. */
const memoryOnly = new Set<string>();

/** The desktop app has one window, which comes back to its storage; of tabs there may be many. */
const storage = (): Storage => (window.holdfast ? localStorage : sessionStorage);
const keyOf = (id: string): string => `holdfast.unsaved.${id}`;

export function storeUnsaved(id: string, unsaved: UnsavedText): void {
  cache.set(id, unsaved);
  try {
    storage().setItem(keyOf(id), JSON.stringify(unsaved));
    memoryOnly.delete(id);
  } catch {
    // Full or forbidden: it is still in memory, and leaving asks first.
    memoryOnly.add(id);
  }
}

export function removeUnsaved(id: string): void {
  cache.delete(id);
  memoryOnly.delete(id);
  storage().removeItem(keyOf(id));
}

export function readUnsaved(id: string): UnsavedText | null {
  const known = cache.get(id);
  if (known) return known;
  const text = storage().getItem(keyOf(id));
  if (text === null) return null;
  try {
    const unsaved = unsavedSchema.parse(JSON.parse(text));
    cache.set(id, unsaved);
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
    if (window.holdfast ? memoryOnly.size > 0 : cache.size > 0) event.preventDefault();
  };
  window.addEventListener('beforeunload', ask);
  return () => window.removeEventListener('beforeunload', ask);
}
