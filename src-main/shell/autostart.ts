// Starting with the session of the person: by the system's own list on macOS and Windows, by a file
// as XDG says on Linux.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { app } from 'electron';
import { desktopEntry, isEntryOn } from '#main/shell/autostart-entry.ts';
import type { Desktop } from '#main/platform/desktop.ts';

export const HIDDEN_FLAG = '--hidden';

/** `dataArgs`: what this start was told about its data folder. */
export function createAutostart(dataArgs: readonly string[]): Desktop['startAtLogin'] {
  const args = [...dataArgs, HIDDEN_FLAG];
  if (process.platform === 'linux') return byFile(args);
  const isInstalled = app.isPackaged;
  return {
    problem: isInstalled ? null : 'Only an installed Holdfast can start at login.',
    isOn: () => isInstalled && app.getLoginItemSettings({ args }).openAtLogin,
    set: (isOn) => app.setLoginItemSettings({ openAtLogin: isOn, args }),
  };
}

function byFile(args: readonly string[]): Desktop['startAtLogin'] {
  const path = join(
    process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'),
    'autostart',
    'holdfast.desktop',
  );
  return {
    problem: null,
    isOn: () => existsSync(path) && isEntryOn(readFileSync(path, 'utf8')),
    set: (isOn) => {
      if (!isOn) return rmSync(path, { force: true });
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.new`, desktopEntry([...programWords(), ...args]));
      return renameSync(`${path}.new`, path);
    },
  };
}

/** How this very app is started again. An AppImage runs from a place that is gone afterwards. */
function programWords(): string[] {
  const { APPIMAGE } = process.env;
  if (APPIMAGE) return [APPIMAGE];
  return app.isPackaged ? [process.execPath] : [process.execPath, app.getAppPath()];
}
