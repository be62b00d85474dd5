// The `Desktop` of Electron: file manager, start at login, notifications, versions.
import { Notification, shell } from 'electron';
import type { Desktop } from '#main/platform/desktop.ts';
import { createAutostart } from '#main/shell/autostart.ts';

export function createDesktop(dataArgs: readonly string[]): Desktop {
  return {
    versions: {
      electron: process.versions['electron'] ?? '',
      chromium: process.versions['chrome'] ?? '',
    },
    startAtLogin: createAutostart(dataArgs),
    notificationsProblem: Notification.isSupported()
      ? null
      : 'This system does not support notifications.',
    async openFolder(path) {
      const problem = await shell.openPath(path);
      if (problem !== '') throw new Error(problem);
    },
  };
}
