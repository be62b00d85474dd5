// The icon in the tray: how things stand, and what one can do without the window.
import { app, Menu, nativeImage, Tray } from 'electron';
import { TRAY_ICON, TRAY_ICON_WAITING } from '#main/shell/tray-icon.ts';
import {
  QUIET_TRAY,
  trayMenu,
  trayTooltip,
  type TrayAct,
  type TrayState,
} from '#main/shell/tray-menu.ts';

export interface AppTray {
  update(state: TrayState): void;
}

/** Null where the desktop has no tray. */
export function createTray(perform: (act: TrayAct) => void): AppTray | null {
  try {
    const icons = {
      quiet: nativeImage.createFromDataURL(TRAY_ICON),
      waiting: nativeImage.createFromDataURL(TRAY_ICON_WAITING),
    };
    const tray = new Tray(icons.quiet);
    tray.on('click', () => perform('open'));
    const update = (state: TrayState): void => {
      tray.setToolTip(trayTooltip(state));
      tray.setImage(state.waiting > 0 ? icons.waiting : icons.quiet);
      if (process.platform === 'darwin') tray.setTitle(state.waiting > 0 ? `${state.waiting}` : '');
      tray.setContextMenu(toMenu(state, perform));
      app.setBadgeCount(state.waiting);
    };
    update(QUIET_TRAY);
    return { update };
  } catch {
    return null;
  }
}

function toMenu(state: TrayState, perform: (act: TrayAct) => void): Menu {
  return Menu.buildFromTemplate(
    trayMenu(state).map((item) =>
      item.type === 'separator'
        ? { type: 'separator' }
        : { label: item.label, enabled: item.isEnabled, click: () => perform(item.act) },
    ),
  );
}
