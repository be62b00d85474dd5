// The app in a browser: asks for the access key first, and again if the host refuses it.
import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import { App } from '#renderer/app.tsx';
import { createHttpClient } from '#renderer/client/http.ts';
import { createLive } from '#renderer/live.ts';
import { createRouter } from '#renderer/router.ts';
import type { TabSession } from '#renderer/tab-session.ts';
import { TokenPage } from '#renderer/shell/token-page.tsx';

export function BrowserApp({ session }: { readonly session: TabSession }) {
  const { token, refused } = useStore(session);
  useEffect(() => {
    window.addEventListener('hashchange', session.takeFromAddress);
    return () => window.removeEventListener('hashchange', session.takeFromAddress);
  }, [session]);
  const parts = useMemo(() => {
    if (token === null) return null;
    const client = createHttpClient({
      origin: window.location.origin,
      token,
      onUnauthorized: () => session.refuse(token),
    });
    return {
      client,
      live: createLive(client),
      router: createRouter(window),
      onNewToken: session.enter,
    };
  }, [session, token]);

  if (parts === null) return <TokenPage refused={refused} onToken={session.enter} />;
  return <App parts={parts} />;
}
