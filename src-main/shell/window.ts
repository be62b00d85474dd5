// The one window: opened where it was left, kept to one place of the app, brought back when its
// page breaks.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BrowserWindow, nativeTheme, screen } from 'electron';
import { APP_ORIGIN } from '#main/shell/app-scheme.ts';
import { askBeforeLeaving } from '#main/shell/ask-before-leaving.ts';
import { OPEN_CHANNEL } from '#main/shell/channels.ts';
import { restoreAfterCrash } from '#main/shell/crash-restore.ts';
import type { Json } from '#shared/json.ts';
import { placeWindow, SMALLEST_WINDOW, type WindowState } from '#shared/window-place.ts';

// Beside out/main in a build: the preload is a build product, never run from source.
const PRELOAD = join(dirname(fileURLToPath(import.meta.url)), '../preload/preload.cjs');

/** Not with every pixel that it is moved by. */
const KEEP_AFTER_MS = 500;

export interface AppWindowOptions {
  /** Where it was when it was last seen. */
  readonly kept: () => Json | undefined;
  readonly keep: (state: WindowState) => void;
  /** Whether closing it only hides it. */
  readonly hidesOnClose: () => boolean;
  readonly onHidden: () => void;
  /** It was to be closed, and the person would rather not. */
  readonly onStay: () => void;
  /** Its page broke too often to be brought back by itself. */
  readonly onBroken: (tryAgain: () => void) => void;
}

export interface AppWindow {
  show(): void;
  /** Shows a place of the app. */
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
      // A page that is still loading would not hear it.
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
  const { isMaximized, ...place } = placeWindow(options.kept(), areas);
  const window = new BrowserWindow({
    ...place,
    minWidth: SMALLEST_WINDOW.width,
    minHeight: SMALLEST_WINDOW.height,
    show: false,
    title: 'Holdfast',
    // What is seen before the page has painted must not flash.
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
  keepPlace(window, options.keep);
  window.on('close', (event) => {
    if (!options.hidesOnClose()) return;
    event.preventDefault();
    window.hide();
    options.onHidden();
  });
  askBeforeLeaving(window, options.onStay);
  restoreAfterCrash(window.webContents, options.onBroken);
  void window.loadURL(APP_ORIGIN + path);
  return window;
}

function keepPlace(window: BrowserWindow, keep: (state: WindowState) => void): void {
  let timer: NodeJS.Timeout | undefined;
  const keepNow = (): void => {
    clearTimeout(timer);
    // Maximised it has another size; what it goes back to is what is kept.
    keep({ ...window.getNormalBounds(), isMaximized: window.isMaximized() });
  };
  const keepSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(keepNow, KEEP_AFTER_MS);
  };
  window.on('resize', keepSoon);
  window.on('move', keepSoon);
  window.on('maximize', keepSoon);
  window.on('unmaximize', keepSoon);
  window.on('close', keepNow);
  window.on('closed', () => clearTimeout(timer));
}
