// Serves the renderer at app://holdfast/. This scheme has an origin, so the page's content security
// policy works as in a browser; file:// has none.
import { protocol } from 'electron';
import { readStatic } from '#main/api/transport/static-files.ts';

export const APP_ORIGIN = 'app://holdfast';

export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

export function serveRenderer(): void {
  protocol.handle('app', async (request) => {
    const url = new URL(request.url);
    if (url.host !== 'holdfast') return new Response('Page not found.', { status: 404 });
    const file = await readStatic(url.pathname);
    return new Response(new Uint8Array(file.body), { status: file.status, headers: file.headers });
  });
}
