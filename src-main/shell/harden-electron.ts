// Electron's security checklist, except for the window preferences: no navigation away from the app,
// no new windows, no permissions.
import { app, type Session, type WebContents } from 'electron';
import { APP_ORIGIN } from '#main/shell/app-scheme.ts';

export function hardenElectron(): void {
  app.on('web-contents-created', (_event, contents) => hardenContents(contents));
  app.on('session-created', hardenSession);
}

function hardenContents(contents: WebContents): void {
  const stayInApp = (event: { readonly url: string; preventDefault(): void }): void => {
    // URL.origin is "null" for custom schemes in Node, so it would block even a reload.
    if (!event.url.startsWith(`${APP_ORIGIN}/`)) event.preventDefault();
  };
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.on('will-navigate', stayInApp);
  // The main frame is handled by will-navigate, which Electron emits only if this handler allows it.
  contents.on('will-frame-navigate', (event) => event.isMainFrame || stayInApp(event));
  contents.on('will-redirect', stayInApp);
}

/** Lets a button copy text. Reading the clipboard is not allowed. */
const COPY_TEXT = 'clipboard-sanitized-write';

/** Applied to every session, because Electron grants permissions that have no handler. */
function hardenSession(session: Session): void {
  session.setPermissionRequestHandler((contents, permission, decide) =>
    decide(permission === COPY_TEXT && contents.getURL().startsWith(`${APP_ORIGIN}/`)),
  );
  session.setPermissionCheckHandler(
    (_contents, permission, origin) =>
      permission === COPY_TEXT && (origin === APP_ORIGIN || origin === `${APP_ORIGIN}/`),
  );
  session.setDevicePermissionHandler(() => false);
}
