// What a person chose about the desktop, kept on this device.
import type { SettingsStore } from '#main/store/tables/settings.ts';

export interface DesktopChoices {
  readonly notifications: boolean;
  readonly keepRunning: boolean;
}

const SETTING = 'desktop';
const DEFAULTS: DesktopChoices = { notifications: true, keepRunning: true };

export function readDesktopChoices(settings: SettingsStore): DesktopChoices {
  const kept = settings.get(SETTING);
  const choices = (typeof kept === 'object' ? kept : null) as { [name: string]: unknown } | null;
  const chosen = (name: keyof DesktopChoices): boolean => {
    const value = choices?.[name];
    return typeof value === 'boolean' ? value : DEFAULTS[name];
  };
  return { notifications: chosen('notifications'), keepRunning: chosen('keepRunning') };
}

export function keepDesktopChoices(settings: SettingsStore, choices: DesktopChoices): void {
  settings.set(SETTING, { ...choices });
}
