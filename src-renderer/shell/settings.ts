// Window settings in the browser's storage: theme, single-key shortcuts, tour. The host doesn't
// know them.
import { z } from 'zod';
import { createStore } from 'zustand/vanilla';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const settingsSchema = z.object({
  theme: z.enum(THEMES).catch('system'),
  singleKeys: z.boolean().catch(true),
  /** A tour that was started and not left. */
  tour: z.object({ workflowId: z.string() }).nullable().catch(null),
});
export type Settings = z.infer<typeof settingsSchema>;

const STORAGE_KEY = 'holdfast.settings';

export const settings = createStore<Settings>(() => read());

/** Applies the settings before the first paint, and on every change. */
export function followSettings(root: HTMLElement): void {
  const apply = ({ theme }: Settings): void => {
    if (theme === 'system') delete root.dataset['theme'];
    else root.dataset['theme'] = theme;
  };
  apply(settings.getState());
  settings.subscribe(apply);
  // Other tabs of the same host follow.
  window.addEventListener('storage', (event) => {
    if (event.key === STORAGE_KEY) settings.setState(read(), true);
  });
}

export function choose(chosen: Partial<Settings>): void {
  settings.setState(chosen);
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(settings.getState()));
  } catch {
    // Storage may be full or forbidden. The setting then lasts until the page closes.
  }
}

function read(): Settings {
  try {
    return settingsSchema.parse(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}'));
  } catch {
    return settingsSchema.parse({});
  }
}
