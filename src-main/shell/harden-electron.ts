// What a page of ours may never do, whatever it was talked into: Electron's own list of what to
// see to, as far as it is not a preference of the window.
import { app, type Session, type WebContents } from 'electron';
import { APP_ORIGIN } from '#main/shell/app-scheme.ts';

export function hardenElectron(): void {
  app.on('web-contents-created', (_event, contents) => hardenContents(contents));
  app.on('session-created', hardenSession);
}

function hardenContents(contents: WebContents): void {
  const stay = (event: { readonly url: string; preventDefault(): void }): void => {
    // Not by URL.origin: to Node our scheme has none, and then not even a reload would pass.
    if (!event.url.startsWith(`${APP_ORIGIN}/`)) event.preventDefault();
  };
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.on('will-navigate', stay);
  // Of the page itself the one above is asked, and only where this one lets it pass.
  contents.on('will-frame-navigate', (event) => event.isMainFrame || stay(event));
  contents.on('will-redirect', stay);
}

/** To copy by a button that was pressed; what is copied is text. To read it back is not allowed. */
const COPYING = 'clipboard-sanitized-write';

/** Every session there is, not only the usual one: a permission that is forgotten is given. */
function hardenSession(session: Session): void {
  session.setPermissionRequestHandler((contents, permission, decide) =>
    decide(permission === COPYING && contents.getURL().startsWith(`${APP_ORIGIN}/`)),
  );
  session.setPermissionCheckHandler(
    (_contents, permission, origin) =>
      permission === COPYING && (origin === APP_ORIGIN || origin === `${APP_ORIGIN}/`),
  );
  session.setDevicePermissionHandler(() => false);
}
