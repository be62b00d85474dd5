// The Electron main process: one host, one window. Everything that is not about the desktop lives
// elsewhere and knows nothing of Electron.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { app, dialog } from 'electron';
import { startHttpServer, type HttpServer } from '#main/api/transport/http-server.ts';
import { compileSoon } from '#main/platform/v8-tier-up.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';
import { ensureWritable } from '#main/data-folder/data-folder.ts';
import { createHost, type Host } from '#main/host/host.ts';
import { chooseLinkPlace } from '#main/host/link-address.ts';
import { createLog } from '#main/host/log.ts';
import { StartError } from '#main/platform/start-error.ts';
import { HIDDEN_FLAG } from '#main/shell/autostart.ts';
import { createDesktop } from '#main/shell/desktop.ts';
import { endWithParent } from '#main/shell/end-with-parent.ts';
import { createFace, type Face } from '#main/shell/desktop-ui.ts';
import { registerIpc } from '#main/shell/ipc.ts';
import { registerAppScheme, serveRenderer } from '#main/shell/app-scheme.ts';
import { systemKeychain } from '#main/shell/keychain.ts';
import { hardenElectron } from '#main/shell/harden-electron.ts';
import { createNotifier } from '#main/shell/notifications.ts';
import { DEEP_LINK_SCHEME, findDeepLink, parseDeepLink } from '#shared/deep-link.ts';

const dataDir = dataDirOf(process.argv);
registerAppScheme();
hardenElectron();
// In development the links of an installed Holdfast stay its own.
if (app.isPackaged) app.setAsDefaultProtocolClient(DEEP_LINK_SCHEME);
// Root, as in a container, has to start with --no-sandbox; to insist would then end every process
// of the app but this one. The window asks for its sandbox all the same.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();

try {
  keepOwnFilesIn(dataDir);
  if (app.requestSingleInstanceLock()) start();
  else app.quit();
} catch (error) {
  refuseToStart(error);
}

/** Electron's lock and profile go into the data folder: one window for each, side by side. */
function keepOwnFilesIn(folder: string): void {
  ensureWritable(folder);
  const own = join(folder, 'electron');
  mkdirSync(own, { recursive: true, mode: 0o700 });
  app.setPath('userData', own);
}

function start(): void {
  let host: Host | undefined;
  let server: Promise<HttpServer | undefined> = Promise.resolve(undefined);
  let face: Face | undefined;
  /** Asked for before there is a window: by a link that started the app. */
  let wanted = findDeepLink(process.argv);
  const goTo = (path: string | null): void => {
    if (!face) wanted = path ?? wanted;
    else if (path === null) face.show();
    else face.goTo(path);
  };
  app.on('second-instance', (_event, argv) => goTo(findDeepLink(argv)));
  app.on('open-url', (event, url) => {
    event.preventDefault();
    goTo(parseDeepLink(url));
  });
  app.on('activate', () => goTo(null));
  endWithParent(() => app.quit());
  app.on('window-all-closed', () => app.quit());
  app.on('before-quit', () => face?.letGo());
  app.on('will-quit', (event) => {
    if (!host) return;
    // Not quit() again: once it was prevented, Electron may never ask a second time.
    event.preventDefault();
    const closing = host;
    host = undefined;
    face?.close();
    // First the door, so that nobody asks a host that is closing.
    void server
      .then((open) => open?.close())
      .then(() => closing.close())
      .finally(() => app.exit(0));
  });
  void app.whenReady().then(() => {
    try {
      compileSoon();
      const cipher = systemKeychain();
      host = createHost({
        dataDir,
        createLog: () => createLog(dataDir),
        notifier: createNotifier(() => goTo(null)),
        links: chooseLinkPlace(),
        desktop: createDesktop(dataArgs(process.argv)),
        ...(cipher ? { cipher } : {}),
      });
      serveRenderer();
      server = answerOnLoopback(host);
      registerIpc(host);
      face = createFace(host);
      if (wanted !== null) face.goTo(wanted);
      else if (!process.argv.includes(HIDDEN_FLAG) || !face.hasTray) face.show();
    } catch (error) {
      refuseToStart(error);
    }
  });
}

/** So that the command line reaches the folder that the window has open. */
async function answerOnLoopback(host: Host): Promise<HttpServer | undefined> {
  try {
    const server = await startHttpServer({ host, port: 0 });
    const { startedAt } = host;
    host.folder.lock.announce({ pid: process.pid, startedAt, url: server.url });
    return server;
  } catch (error) {
    host.log.error({ err: error }, 'the command line cannot reach this window');
    return undefined;
  }
}

function dataDirOf(argv: readonly string[]): string {
  const [, named] = dataArgs(argv);
  return chooseDataDir(named);
}

/** What the command line says of the data folder, to say it again. */
function dataArgs(argv: readonly string[]): string[] {
  const inline = argv.find((arg) => arg.startsWith('--data='))?.slice('--data='.length);
  const index = argv.indexOf('--data');
  const named = inline ?? (index === -1 ? undefined : argv[index + 1]);
  return named === undefined ? [] : ['--data', named];
}

function refuseToStart(error: unknown): void {
  const sentence =
    error instanceof StartError
      ? error.message
      : `Holdfast could not start. Nothing was changed.\n\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  process.stderr.write(`holdfast: ${sentence}\n`);
  dialog.showErrorBox('Holdfast', sentence);
  app.exit(1);
}
