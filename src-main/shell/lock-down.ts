// What a page of ours may never do, whatever it was talked into.
import { app, session } from 'electron';
import { APP_ORIGIN } from '#main/shell/app-scheme.ts';

export function lockDown(): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.on('will-navigate', (event) => {
      // Not by URL.origin: to Node our scheme has none, and then not even a reload would pass.
      if (!event.url.startsWith(`${APP_ORIGIN}/`)) event.preventDefault();
    });
  });
  void app.whenReady().then(() => {
    session.defaultSession.setPermissionRequestHandler((_contents, _permission, decide) =>
      decide(false),
    );
    session.defaultSession.setPermissionCheckHandler(() => false);
  });
}
