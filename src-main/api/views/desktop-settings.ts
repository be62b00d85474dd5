// Desktop settings of this device.
import type { SettingsStore } from '#main/store/tables/settings.ts';

export interface DesktopSettings {
  readonly notifications: boolean;
  readonly keepRunning: boolean;
}

const SETTING = 'desktop';
const DEFAULTS: DesktopSettings = { notifications: true, keepRunning: true };

export function readDesktopSettings(settings: SettingsStore): DesktopSettings {
  const value = settings.get(SETTING);
  const stored = (typeof value === 'object' ? value : null) as { [name: string]: unknown } | null;
  const read = (name: keyof DesktopSettings): boolean => {
    const setting = stored?.[name];
    return typeof setting === 'boolean' ? setting : DEFAULTS[name];
  };
  return { notifications: read('notifications'), keepRunning: read('keepRunning') };
}

export function writeDesktopSettings(settings: SettingsStore, desktop: DesktopSettings): void {
  settings.set(SETTING, { ...desktop });
}
