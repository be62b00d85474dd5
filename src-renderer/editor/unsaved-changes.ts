// Unsaved text by workflow. It survives page changes, in a browser also a reload, and in the
// desktop app also a restart. It never leaves the device.
import { z } from 'zod';

const unsavedSchema = z.strictObject({
  text: z.string(),
  /** Hash of the file when editing began, or null if there was no file. */
  basedOn: z.string().nullable(),
});
export type UnsavedText = z.infer<typeof unsavedSchema>;

/** Key for a workflow that doesn't exist yet. */
export const NEW_WORKFLOW_ID = 'new';

const cache = new Map<string, UnsavedText>();
/** Entries that couldn't be stored and are only in memory. */
const memoryOnly = new Set<string>();

/** The desktop app has one window; a browser may have many tabs. */
const storage = (): Storage => (window.holdfast ? localStorage : sessionStorage);
const keyOf = (id: string): string => `holdfast.unsaved.${id}`;

export function storeUnsaved(id: string, unsaved: UnsavedText): void {
  cache.set(id, unsaved);
  try {
    storage().setItem(keyOf(id), JSON.stringify(unsaved));
    memoryOnly.delete(id);
  } catch {
    // Storage is full or forbidden. The text stays in memory, and leaving asks first.
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
 * A browser always asks before closing, because nothing outlives the tab. The desktop app asks only
 * if the text couldn't be stored.
 */
export function warnBeforeLeaving(): () => void {
  const ask = (event: BeforeUnloadEvent): void => {
    if (window.holdfast ? memoryOnly.size > 0 : cache.size > 0) event.preventDefault();
  };
  window.addEventListener('beforeunload', ask);
  return () => window.removeEventListener('beforeunload', ask);
}
