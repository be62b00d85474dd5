// Start at login: login items on macOS and Windows, an XDG autostart file on Linux.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { app } from 'electron';
import { desktopEntry, isEntryOn } from '#main/shell/autostart-entry.ts';
import type { Desktop } from '#main/platform/desktop.ts';

export const HIDDEN_FLAG = '--hidden';

/** `dataArgs`: the `--data` arguments of this process. */
export function createAutostart(dataArgs: readonly string[]): Desktop['startAtLogin'] {
  const args = [...dataArgs, HIDDEN_FLAG];
  if (process.platform === 'linux') return xdgAutostart(args);
  const isInstalled = app.isPackaged;
  return {
    problem: isInstalled ? null : 'Start at login needs an installed Holdfast.',
    isOn: () => isInstalled && app.getLoginItemSettings({ args }).openAtLogin,
    set: (isOn) => app.setLoginItemSettings({ openAtLogin: isOn, args }),
  };
}

function xdgAutostart(args: readonly string[]): Desktop['startAtLogin'] {
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
      writeFileSync(`${path}.new`, desktopEntry([...startCommand(), ...args]));
      return renameSync(`${path}.new`, path);
    },
  };
}

/** The command that starts this app. An AppImage runs from a mount point that is gone afterwards. */
function startCommand(): string[] {
  const { APPIMAGE } = process.env;
  if (APPIMAGE) return [APPIMAGE];
  return app.isPackaged ? [process.execPath] : [process.execPath, app.getAppPath()];
}
