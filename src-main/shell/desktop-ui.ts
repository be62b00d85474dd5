// The desktop UI: window, tray icon with its count, and notifications.
import { app, dialog, Notification } from 'electron';
import { ownedWorkflows } from '#main/api/handlers/desktop-handlers.ts';
import { readDesktopSettings } from '#main/api/views/desktop-settings.ts';
import type { Host } from '#main/host/host.ts';
import { watchAttention } from '#main/shell/attention.ts';
import { showNotification } from '#main/shell/notifications.ts';
import { createTray } from '#main/shell/tray.ts';
import { EMPTY_TRAY_STATE, type TrayAction, type TrayState } from '#main/shell/tray-menu.ts';
import { createAppWindow, type AppWindow } from '#main/shell/window.ts';
import { PAUSED_WITH_ALL } from '#shared/api/desktop.ts';

const WINDOW_SETTING = 'window';
/** Set once the person was notified that Holdfast keeps running in the tray. */
const TRAY_NOTICE_SETTING = 'told_that_it_stays';

export interface DesktopUi extends AppWindow {
  readonly hasTray: boolean;
  /** From now on, closing the window destroys it instead of hiding it. */
  prepareToQuit(): void;
  close(): void;
}

export function createDesktopUi(host: Host): DesktopUi {
  const { settings } = host.stores;
  let isQuitting = false;
  let state: TrayState = EMPTY_TRAY_STATE;
  const window = createAppWindow({
    loadState: () => settings.get(WINDOW_SETTING),
    saveState: (windowState) => settings.set(WINDOW_SETTING, windowState),
    hidesOnClose: () => !isQuitting && tray !== null && readDesktopSettings(settings).keepRunning,
    onHidden: () => notifyStillRunning(host, () => window.show()),
    onStay: () => {
      isQuitting = false;
    },
    onRepeatedCrash: askAfterRepeatedCrash,
  });
  const tray = createTray((action) => perform(host, window, action));
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
    prepareToQuit: () => {
      isQuitting = true;
    },
    close: stopWatching,
  };
}

function perform(host: Host, window: AppWindow, action: TrayAction): void {
  switch (action) {
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
  const own = ownedWorkflows(engine);
  return {
    running: own.filter(({ status }) => status === 'active').length,
    pausedWithAll: own.filter(
      ({ status, statusReason }) => status === 'paused' && statusReason === PAUSED_WITH_ALL,
    ).length,
  };
}

/** Shown once, when the window is first closed: people may think that Holdfast quit. */
function notifyStillRunning({ stores: { settings } }: Host, show: () => void): void {
  if (settings.get(TRAY_NOTICE_SETTING) === true || !Notification.isSupported()) return;
  settings.set(TRAY_NOTICE_SETTING, true);
  showNotification(
    'Holdfast is still running',
    'Workflows keep running in the background. Quit from the tray, or change this in Settings.',
    show,
  );
}

function askAfterRepeatedCrash(reload: () => void): void {
  const question = {
    type: 'error' as const,
    title: 'Holdfast',
    message: 'The window keeps crashing.',
    detail:
      'Workflows keep running and nothing was lost. Reload the window, or quit and start Holdfast again.',
    buttons: ['Reload', 'Quit Holdfast'],
    defaultId: 0,
  };
  void dialog
    .showMessageBox(question)
    .then(({ response }) => (response === 0 ? reload() : app.quit()));
}
