// Window settings in the browser's storage: theme, single-key shortcuts, tour. The host doesn't
// know them.
import { z } from 'zod';
import { createStore } from 'zustand/vanilla';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const preferencesSchema = z.object({
  theme: z.enum(THEMES).catch('system'),
  singleKeys: z.boolean().catch(true),
  /** A tour that was started and not left. */
  tour: z.object({ workflowId: z.string() }).nullable().catch(null),
});
export type Preferences = z.infer<typeof preferencesSchema>;

const STORAGE_KEY = 'holdfast.settings';

export const preferences = createStore<Preferences>(() => read());

/** Applies the settings before the first paint, and on every change. */
export function applyPreferences(root: HTMLElement): void {
  const apply = ({ theme }: Preferences): void => {
    if (theme === 'system') delete root.dataset['theme'];
    else root.dataset['theme'] = theme;
  };
  apply(preferences.getState());
  preferences.subscribe(apply);
  // Other tabs of the same host follow.
  window.addEventListener('storage', (event) => {
    if (event.key === STORAGE_KEY) preferences.setState(read(), true);
  });
}

export function updatePreferences(chosen: Partial<Preferences>): void {
  preferences.setState(chosen);
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(preferences.getState()));
  } catch {
    // Storage may be full or forbidden. The setting then lasts until the page closes.
  }
}

function read(): Preferences {
  try {
    return preferencesSchema.parse(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}'));
  } catch {
    return preferencesSchema.parse({});
  }
}
