// The app in a browser: asks for the API token first, and again if the host refuses it.
import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import { App } from '#renderer/app.tsx';
import { createHttpClient } from '#renderer/client/http-client.ts';
import { createFeedConnection } from '#renderer/client/feed-connection.ts';
import { createRouter } from '#renderer/navigation/router.ts';
import type { TabSession } from '#renderer/client/tab-session.ts';
import { TokenPage } from '#renderer/shell/token-page.tsx';

export function BrowserApp({ session }: { readonly session: TabSession }) {
  const { token, isRefused } = useStore(session);
  useEffect(() => {
    window.addEventListener('hashchange', session.readTokenFromAddress);
    return () => window.removeEventListener('hashchange', session.readTokenFromAddress);
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
      feed: createFeedConnection(client),
      router: createRouter(window),
      onNewToken: session.enter,
    };
  }, [session, token]);

  if (parts === null) return <TokenPage isRefused={isRefused} onToken={session.enter} />;
  return <App services={parts} />;
}
