// What a person chose for this window, kept in the browser: how it looks, and whether single keys
// act. Nothing of it concerns the host.
import { z } from 'zod';
import { createStore } from 'zustand/vanilla';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const settingsSchema = z.object({
  theme: z.enum(THEMES).catch('system'),
  singleKeys: z.boolean().catch(true),
  /** The tour that was begun and not left. */
  tour: z.object({ workflowId: z.string() }).nullable().catch(null),
});
export type Settings = z.infer<typeof settingsSchema>;

const STORAGE_KEY = 'holdfast.settings';

export const settings = createStore<Settings>(() => read());

/** Applies what was chosen, before anything is drawn, and from then on whenever it changes. */
export function followSettings(root: HTMLElement): void {
  const apply = ({ theme }: Settings): void => {
    if (theme === 'system') delete root.dataset['theme'];
    else root.dataset['theme'] = theme;
  };
  apply(settings.getState());
  settings.subscribe(apply);
  // Another tab of the same host has the same person in front of it.
  window.addEventListener('storage', (event) => {
    if (event.key === STORAGE_KEY) settings.setState(read(), true);
  });
}

export function choose(chosen: Partial<Settings>): void {
  settings.setState(chosen);
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(settings.getState()));
  } catch {
    // Storage may be full or forbidden: then it counts until the page is closed.
  }
}

function read(): Settings {
  try {
    return settingsSchema.parse(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}'));
  } catch {
    return settingsSchema.parse({});
  }
}
