// Text that a person typed and has not saved, by workflow. It outlives the page that shows it, and
// in this tab also a reload; it is never sent anywhere.
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
const keyOf = (id: string): string => `holdfast.unsaved.${id}`;

export function keepUnsaved(id: string, unsaved: Unsaved): void {
  kept.set(id, unsaved);
  try {
    sessionStorage.setItem(keyOf(id), JSON.stringify(unsaved));
  } catch {
    // Full or forbidden: it is still in memory, and leaving the tab asks first.
  }
}

export function forgetUnsaved(id: string): void {
  kept.delete(id);
  sessionStorage.removeItem(keyOf(id));
}

export function readUnsaved(id: string): Unsaved | null {
  const known = kept.get(id);
  if (known) return known;
  const text = sessionStorage.getItem(keyOf(id));
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

/** The browser asks before it closes the tab; what is asked, it words itself. */
export function warnBeforeLeaving(): () => void {
  const ask = (event: BeforeUnloadEvent): void => {
    if (kept.size > 0) event.preventDefault();
  };
  window.addEventListener('beforeunload', ask);
  return () => window.removeEventListener('beforeunload', ask);
}
