// What a person chose for this window, kept in the browser: how it looks, and whether single keys
// act. Nothing of it concerns the host.
import { z } from 'zod';
import { createStore } from 'zustand/vanilla';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const preferencesSchema = z.object({
  theme: z.enum(THEMES).catch('system'),
  singleKeys: z.boolean().catch(true),
  /** The tour that was begun and not left. */
  tour: z.object({ workflowId: z.string() }).nullable().catch(null),
});
export type Preferences = z.infer<typeof preferencesSchema>;

const STORAGE_KEY = 'holdfast.settings';

export const preferences = createStore<Preferences>(() => read());

/** Applies what was chosen, before anything is drawn, and from then on whenever it changes. */
export function applyPreferences(root: HTMLElement): void {
  const apply = ({ theme }: Preferences): void => {
    if (theme === 'system') delete root.dataset['theme'];
    else root.dataset['theme'] = theme;
  };
  apply(preferences.getState());
  preferences.subscribe(apply);
  // Another tab of the same host has the same person in front of it.
  window.addEventListener('storage', (event) => {
    if (event.key === STORAGE_KEY) preferences.setState(read(), true);
  });
}

export function updatePreferences(chosen: Partial<Preferences>): void {
  preferences.setState(chosen);
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(preferences.getState()));
  } catch {
    // Storage may be full or forbidden: then it counts until the page is closed.
  }
}

function read(): Preferences {
  try {
    return preferencesSchema.parse(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}'));
  } catch {
    return preferencesSchema.parse({});
  }
}
