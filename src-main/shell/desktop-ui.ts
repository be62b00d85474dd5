// What a person sees of the running app: the window, the icon in the tray with its count, and
// notices of what waits for them.
import { app, dialog, Notification } from 'electron';
import { ownWorkflows } from '#main/api/handlers/desktop-handlers.ts';
import { readDesktopChoices } from '#main/api/views/desktop-settings.ts';
import type { Host } from '#main/host/host.ts';
import { watchAttention } from '#main/shell/attention.ts';
import { showNotification } from '#main/shell/notifications.ts';
import { createTray } from '#main/shell/tray.ts';
import { QUIET_TRAY, type TrayAct, type TrayState } from '#main/shell/tray-menu.ts';
import { createAppWindow, type AppWindow } from '#main/shell/window.ts';
import { PAUSED_WITH_ALL } from '#shared/api/desktop.ts';

const WINDOW_SETTING = 'window';
const STAYS_SETTING = 'told_that_it_stays';

export interface Face extends AppWindow {
  readonly hasTray: boolean;
  /** From now on closing the window ends it. */
  letGo(): void;
  close(): void;
}

export function createFace(host: Host): Face {
  const { settings } = host.stores;
  let isQuitting = false;
  let state: TrayState = QUIET_TRAY;
  const window = createAppWindow({
    kept: () => settings.get(WINDOW_SETTING),
    keep: (place) => settings.set(WINDOW_SETTING, place),
    hidesOnClose: () => !isQuitting && tray !== null && readDesktopChoices(settings).keepRunning,
    onHidden: () => tellThatItStays(host, () => window.show()),
    onStay: () => {
      isQuitting = false;
    },
    onBroken: askAboutBroken,
  });
  const tray = createTray((act) => perform(host, window, act));
  const update = (change: Partial<TrayState>): void => {
    state = { ...state, ...change };
    tray?.update(state);
  };
  const stopWatching = watchAttention(host, {
    show: ({ title, body, path }) => {
      if (Notification.isSupported()) showNotification(title, body, () => window.goTo(path));
    },
    onCount: (waiting) => update({ waiting, ...countWorkflows(host) }),
  });
  return {
    ...window,
    hasTray: tray !== null,
    letGo: () => {
      isQuitting = true;
    },
    close: stopWatching,
  };
}

function perform(host: Host, window: AppWindow, act: TrayAct): void {
  switch (act) {
    case 'open':
      return window.show();
    case 'inbox':
      return window.goTo('/inbox');
    case 'pause-all':
      return void host.dispatch('workflows.pauseAll', {});
    case 'resume-all':
      return void host.dispatch('workflows.resumeAll', {});
    case 'quit':
      return app.quit();
  }
}

function countWorkflows({ engine }: Host): Pick<TrayState, 'running' | 'pausedWithAll'> {
  const own = ownWorkflows(engine);
  return {
    running: own.filter(({ status }) => status === 'active').length,
    pausedWithAll: own.filter(
      ({ status, statusReason }) => status === 'paused' && statusReason === PAUSED_WITH_ALL,
    ).length,
  };
}

/** Once: whoever closes a window for the first time may think that all has ended. */
function tellThatItStays({ stores: { settings } }: Host, show: () => void): void {
  if (settings.get(STAYS_SETTING) === true || !Notification.isSupported()) return;
  settings.set(STAYS_SETTING, true);
  showNotification(
    'Holdfast goes on',
    'It stays in the tray, and workflows go on. Quit it there, or change this in the settings.',
    show,
  );
}

function askAboutBroken(tryAgain: () => void): void {
  const question = {
    type: 'error' as const,
    title: 'Holdfast',
    message: 'The window breaks again and again.',
    detail:
      'Workflows go on, and nothing was lost by it. Load the window again, or quit and start anew.',
    buttons: ['Load again', 'Quit Holdfast'],
    defaultId: 0,
  };
  void dialog
    .showMessageBox(question)
    .then(({ response }) => (response === 0 ? tryAgain() : app.quit()));
}
