// The window loads the renderer from app://holdfast/, an origin of its own, so that the policy of
// the page means the same as in a browser. file:// would have no origin at all.
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
    if (url.host !== 'holdfast') return new Response('There is no such page.', { status: 404 });
    const file = await readStatic(url.pathname);
    return new Response(new Uint8Array(file.body), { status: file.status, headers: file.headers });
  });
}
