// The tray icon with its menu, tooltip and badge.
import { app, Menu, nativeImage, Tray } from 'electron';
import { TRAY_ICON, TRAY_ICON_WAITING } from '#main/shell/tray-icon.ts';
import {
  EMPTY_TRAY_STATE,
  trayMenu,
  trayTooltip,
  type TrayAction,
  type TrayState,
} from '#main/shell/tray-menu.ts';

export interface AppTray {
  update(state: TrayState): void;
}

/** Null if the desktop has no tray. */
export function createTray(perform: (action: TrayAction) => void): AppTray | null {
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
    update(EMPTY_TRAY_STATE);
    return { update };
  } catch {
    return null;
  }
}

function toMenu(state: TrayState, perform: (action: TrayAction) => void): Menu {
  return Menu.buildFromTemplate(
    trayMenu(state).map((item) =>
      item.type === 'separator'
        ? { type: 'separator' }
        : { label: item.label, enabled: item.isEnabled, click: () => perform(item.action) },
    ),
  );
}
