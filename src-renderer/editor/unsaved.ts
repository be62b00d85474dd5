// Unsaved text by workflow. It survives page changes, in a browser also a reload, and in the
// desktop app also a restart. It never leaves the device.
import { z } from 'zod';

const unsavedSchema = z.strictObject({
  text: z.string(),
  /** Hash of the file when editing began, or null if there was no file. */
  basedOn: z.string().nullable(),
});
export type Unsaved = z.infer<typeof unsavedSchema>;

/** Key for a workflow that doesn't exist yet. */
export const NEW = 'new';

const kept = new Map<string, Unsaved>();
/** Entries that couldn't be stored and are only in memory. */
const unstored = new Set<string>();

/** The desktop app has one window; a browser may have many tabs. */
const storage = (): Storage => (window.holdfast ? localStorage : sessionStorage);
const keyOf = (id: string): string => `holdfast.unsaved.${id}`;

export function keepUnsaved(id: string, unsaved: Unsaved): void {
  kept.set(id, unsaved);
  try {
    storage().setItem(keyOf(id), JSON.stringify(unsaved));
    unstored.delete(id);
  } catch {
    // Storage is full or forbidden. The text stays in memory, and leaving asks first.
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
 * A browser always asks before closing, because nothing outlives the tab. The desktop app asks only
 * if the text couldn't be stored.
 */
export function warnBeforeLeaving(): () => void {
  const ask = (event: BeforeUnloadEvent): void => {
    if (window.holdfast ? unstored.size > 0 : kept.size > 0) event.preventDefault();
  };
  window.addEventListener('beforeunload', ask);
  return () => window.removeEventListener('beforeunload', ask);
}
