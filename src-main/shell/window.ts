// The one window.
import { BrowserWindow, nativeTheme } from 'electron';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { APP_ORIGIN } from '#main/shell/app-scheme.ts';

// Beside out/main in a build: the preload is a build product, never run from source.
const PRELOAD = join(dirname(fileURLToPath(import.meta.url)), '../preload/preload.cjs');

let window: BrowserWindow | undefined;

export function openWindow(): void {
  window = new BrowserWindow({
    width: 1180,
    height: 780,
    minWidth: 420,
    minHeight: 400,
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
  window.once('ready-to-show', () => window?.show());
  window.on('closed', () => {
    window = undefined;
  });
  void window.loadURL(`${APP_ORIGIN}/`);
}

export function showWindow(): void {
  if (!window) return openWindow();
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
