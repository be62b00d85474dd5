// Starts the built app in a real Electron. The caller closes it.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { ensureBuilt } from '#scripts/lib/build.mjs';
import type { ApiResult } from '#shared/api/errors.ts';
import type { Call } from '#test/support/api-calls.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const executable = process.env['HOLDFAST_TEST_ELECTRON'];

const FIRST_WINDOW_TIMEOUT_MS = 30_000;

/** Why the Electron tests cannot run; undefined if they can. */
export const noElectron =
  executable === undefined
    ? (process.env['HOLDFAST_TEST_ELECTRON_REASON'] ?? 'HOLDFAST_TEST_ELECTRON is not set')
    : undefined;

/** Adds the reason to the title if the tests cannot run. */
export function electronTitle(title: string): string {
  return noElectron === undefined ? title : `${title} (not run: ${noElectron})`;
}

export const electronArgs = (dataDir: string): string[] => [
  // Chromium's own sandbox does not start as root, as in containers. The sandbox of the renderer is on.
  '--no-sandbox',
  '--disable-gpu',
  root,
  '--data',
  dataDir,
];

export const electronExecutable = (): string => executable as string;

const PRELOAD = join(root, 'out/preload/preload.cjs');

type InPage = { readonly holdfast: { call(name: string, input: unknown): Promise<unknown> } };

/** Makes API calls through the page's bridge. */
export const callIn =
  (page: Page): Call =>
  (name, input) =>
    page.evaluate(
      ([callName, value]) => (window as unknown as InPage).holdfast.call(callName as string, value),
      [name, input],
    ) as Promise<ApiResult<unknown>>;

export interface RunningApp {
  readonly app: ElectronApplication;
  /** The page of the one window, loaded. */
  readonly page: Page;
}

export async function launchApp(
  dataDir: string,
  { env = {}, args = [] }: { env?: { [name: string]: string }; args?: readonly string[] } = {},
): Promise<RunningApp> {
  await ensureBuilt({ say: () => undefined });
  // With this variable instead of `executablePath`, Playwright pauses the app until it has attached.
  // Otherwise it can miss a window that opens quickly and wait for it forever.
  process.env['ELECTRON_OVERRIDE_DIST_PATH'] =
    process.env['HOLDFAST_TEST_ELECTRON_DIST'] ?? dirname(electronExecutable());
  const app = await _electron.launch({
    args: [...electronArgs(dataDir), ...args],
    env: { ...ownEnv(), ELECTRON_DISABLE_SECURITY_WARNINGS: '1', ...env },
  });
  let stderr = '';
  app.process().stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  try {
    const page = await app.firstWindow({ timeout: FIRST_WINDOW_TIMEOUT_MS });
    await page.waitForLoadState('load');
    return { app, page };
  } catch (error) {
    // The app may show a modal dialog on the virtual display, and then ignores a request to close.
    app.process().kill('SIGKILL');
    throw new Error(`The window did not open: ${stderr}`, { cause: error });
  }
}

function ownEnv(): { [name: string]: string } {
  const entries = Object.entries(process.env);
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? '']));
}

/** Opens another window with the shell's settings and any URL, and returns its page. */
export async function openSecondWindow(
  app: ElectronApplication,
  url: string,
  /** Also loads the preload script in frames, which the shell never does. */
  { preloadInFrames = false } = {},
): Promise<Page> {
  const opened = app.waitForEvent('window');
  await app.evaluate(
    async ({ BrowserWindow }, { address, preload, nodeIntegrationInSubFrames }) => {
      const window = new BrowserWindow({
        show: false,
        webPreferences: {
          preload,
          contextIsolation: true,
          sandbox: true,
          nodeIntegrationInSubFrames,
        },
      });
      await window.loadURL(address);
    },
    { address: url, preload: PRELOAD, nodeIntegrationInSubFrames: preloadInFrames },
  );
  const page = await opened;
  await page.waitForLoadState('load');
  return page;
}
