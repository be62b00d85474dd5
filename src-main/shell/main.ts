// The Electron main process: one host, one window.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { app, dialog } from 'electron';
import { startHttpServer, type HttpServer } from '#main/api/transport/http-server.ts';
import { enableEarlyTierUp } from '#main/platform/v8-tier-up.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';
import { chooseStateDir } from '#main/data-folder/state-dir.ts';
import { ensureWritable } from '#main/data-folder/data-folder.ts';
import { openKeychain } from '#main/data-folder/open-keychain.ts';
import { createHost, type Host } from '#main/host/host.ts';
import { resolveLinkAddress } from '#main/host/link-address.ts';
import { createLog } from '#main/host/log.ts';
import { StartError } from '#main/platform/start-error.ts';
import { HIDDEN_FLAG } from '#main/shell/autostart.ts';
import { createDesktop } from '#main/shell/desktop.ts';
import { endWithParent } from '#main/shell/end-with-parent.ts';
import { createDesktopUi, type DesktopUi } from '#main/shell/desktop-ui.ts';
import { registerIpc } from '#main/shell/ipc.ts';
import { desktopNetwork, retryAfterSleep } from '#main/shell/network.ts';
import { registerAppScheme, serveRenderer } from '#main/shell/app-scheme.ts';
import { systemKeychain } from '#main/shell/keychain.ts';
import { hardenElectron } from '#main/shell/harden-electron.ts';
import { createNotifier } from '#main/shell/notifications.ts';
import { DEEP_LINK_SCHEME, findDeepLink, parseDeepLink } from '#shared/deep-link.ts';

const dataDir = dataDirOf(process.argv);
registerAppScheme();
hardenElectron();
// A development build must not take over the links of an installed Holdfast.
if (app.isPackaged) app.setAsDefaultProtocolClient(DEEP_LINK_SCHEME);
// Root, as in a container, must start with --no-sandbox. enableSandbox() would then crash all child
// processes. The window requests its sandbox in either case.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();

try {
  useProfileIn(dataDir);
  if (app.requestSingleInstanceLock()) start();
  else app.quit();
} catch (error) {
  refuseToStart(error);
}

/** Electron's lock and profile are in the data folder, so each data folder can have its own window. */
function useProfileIn(folder: string): void {
  ensureWritable(folder);
  const profile = join(folder, 'electron');
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  app.setPath('userData', profile);
}

function start(): void {
  let host: Host | undefined;
  let server: Promise<HttpServer | undefined> = Promise.resolve(undefined);
  let ui: DesktopUi | undefined;
  /** The path to open once there is a window; set by a link that started the app. */
  let initialPath = findDeepLink(process.argv);
  const goTo = (path: string | null): void => {
    if (!ui) initialPath = path ?? initialPath;
    else if (path === null) ui.show();
    else ui.goTo(path);
  };
  app.on('second-instance', (_event, argv) => goTo(findDeepLink(argv)));
  app.on('open-url', (event, url) => {
    event.preventDefault();
    goTo(parseDeepLink(url));
  });
  app.on('activate', () => goTo(null));
  endWithParent(() => app.quit());
  app.on('window-all-closed', () => app.quit());
  app.on('before-quit', () => ui?.prepareToQuit());
  app.on('will-quit', (event) => {
    if (!host) return;
    // app.exit() below instead of quit(): Electron may not emit will-quit a second time.
    event.preventDefault();
    const closing = host;
    host = undefined;
    ui?.close();
    // The server closes first, so that no call reaches a closing host.
    void server
      .then((open) => open?.close())
      .then(() => closing.close())
      .finally(() => app.exit(0));
  });
  void app.whenReady().then(async () => {
    try {
      enableEarlyTierUp();
      const keychain = await systemKeychain();
      const cipher = keychain && (await openKeychain(dataDir, keychain));
      host = createHost({
        dataDir,
        stateDir: chooseStateDir(),
        createLog: (masker) => createLog(dataDir, masker),
        notifier: createNotifier(() => goTo(null)),
        links: resolveLinkAddress(),
        network: desktopNetwork,
        desktop: createDesktop(dataArgs(process.argv)),
        ...(cipher ? { cipher } : {}),
      });
      retryAfterSleep(host);
      serveRenderer();
      server = serveOnLoopback(host);
      registerIpc(host);
      ui = createDesktopUi(host);
      if (initialPath !== null) ui.goTo(initialPath);
      else if (!process.argv.includes(HIDDEN_FLAG) || !ui.hasTray) ui.show();
    } catch (error) {
      refuseToStart(error);
    }
  });
}

/** Lets the command line reach this host. */
async function serveOnLoopback(host: Host): Promise<HttpServer | undefined> {
  try {
    const server = await startHttpServer({ host, port: 0 });
    const { startedAt } = host;
    host.folder.lock.announce({ pid: process.pid, startedAt, url: server.url });
    return server;
  } catch (error) {
    host.log.error({ err: error }, 'could not start the loopback server for the command line');
    return undefined;
  }
}

function dataDirOf(argv: readonly string[]): string {
  const [, named] = dataArgs(argv);
  return chooseDataDir(named);
}

/** The `--data` arguments of this process, for starting it again. */
function dataArgs(argv: readonly string[]): string[] {
  const inline = argv.find((arg) => arg.startsWith('--data='))?.slice('--data='.length);
  const index = argv.indexOf('--data');
  const named = inline ?? (index === -1 ? undefined : argv[index + 1]);
  return named === undefined ? [] : ['--data', named];
}

function refuseToStart(error: unknown): void {
  const message =
    error instanceof StartError
      ? error.message
      : `Holdfast could not start. Nothing was changed.\n\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  process.stderr.write(`holdfast: ${message}\n`);
  dialog.showErrorBox('Holdfast', message);
  app.exit(1);
}
