// The app's only window: restores its size and position, and reloads after a crash.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BrowserWindow, nativeTheme, screen } from 'electron';
import { APP_ORIGIN } from '#main/shell/app-scheme.ts';
import { askBeforeLeaving } from '#main/shell/ask-before-leaving.ts';
import { OPEN_CHANNEL } from '#main/shell/channels.ts';
import { restoreAfterCrash } from '#main/shell/crash-restore.ts';
import type { Json } from '#shared/json.ts';
import { placeWindow, SMALLEST_WINDOW, type WindowState } from '#shared/window-place.ts';

// The preload script exists only as a build product, next to out/main.
const PRELOAD = join(dirname(fileURLToPath(import.meta.url)), '../preload/preload.cjs');

/** Moving and resizing fire many events; the state is saved after the last one. */
const SAVE_DELAY_MS = 500;

export interface AppWindowOptions {
  /** Size and position of the last window. */
  readonly loadState: () => Json | undefined;
  readonly saveState: (state: WindowState) => void;
  /** Whether closing the window only hides it. */
  readonly hidesOnClose: () => boolean;
  readonly onHidden: () => void;
  /** The person chose to stay on a page with unsaved changes. */
  readonly onStay: () => void;
  /** The page crashed too often to be reloaded automatically. */
  readonly onRepeatedCrash: (reload: () => void) => void;
}

export interface AppWindow {
  show(): void;
  /** Shows the window and opens a path of the app. */
  goTo(path: string): void;
}

export function createAppWindow(options: AppWindowOptions): AppWindow {
  let window: BrowserWindow | undefined;

  const open = (path: string): void => {
    const opened = openWindow(options, path);
    opened.on('closed', () => {
      window = undefined;
    });
    window = opened;
  };
  const show = (): void => {
    if (!window) return open('/');
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
    return undefined;
  };
  return {
    show,
    goTo(path) {
      if (!window) return open(path);
      const { webContents } = window;
      // A page that is still loading does not receive messages.
      if (webContents.isLoadingMainFrame()) void webContents.loadURL(APP_ORIGIN + path);
      else webContents.send(OPEN_CHANNEL, path);
      show();
      return undefined;
    },
  };
}

function openWindow(options: AppWindowOptions, path: string): BrowserWindow {
  const main = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter(({ id }) => id !== main.id);
  const areas = [main, ...others].map(({ workArea }) => workArea);
  const { isMaximized, ...bounds } = placeWindow(options.loadState(), areas);
  const window = new BrowserWindow({
    ...bounds,
    minWidth: SMALLEST_WINDOW.width,
    minHeight: SMALLEST_WINDOW.height,
    show: false,
    title: 'Holdfast',
    // Matches the page's theme, so that nothing flashes before the first paint.
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#101114' : '#ffffff',
    autoHideMenuBar: true,
    webPreferences: {
      preload: PRELOAD,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  });
  if (isMaximized) window.maximize();
  window.once('ready-to-show', () => window.show());
  saveStateOnChange(window, options.saveState);
  window.on('close', (event) => {
    if (!options.hidesOnClose()) return;
    event.preventDefault();
    window.hide();
    options.onHidden();
  });
  askBeforeLeaving(window, options.onStay);
  restoreAfterCrash(window.webContents, options.onRepeatedCrash);
  void window.loadURL(APP_ORIGIN + path);
  return window;
}

function saveStateOnChange(window: BrowserWindow, save: (state: WindowState) => void): void {
  let timer: NodeJS.Timeout | undefined;
  const saveNow = (): void => {
    clearTimeout(timer);
    // The normal bounds, so that a maximized window can be restored to its earlier size.
    save({ ...window.getNormalBounds(), isMaximized: window.isMaximized() });
  };
  const saveSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(saveNow, SAVE_DELAY_MS);
  };
  window.on('resize', saveSoon);
  window.on('move', saveSoon);
  window.on('maximize', saveSoon);
  window.on('unmaximize', saveSoon);
  window.on('close', saveNow);
  window.on('closed', () => clearTimeout(timer));
}
