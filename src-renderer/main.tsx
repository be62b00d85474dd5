// Starts the app: in Electron with the preload's bridge, in a browser with the API token from the
// link.
import '#renderer/zod-without-eval.ts';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from '#renderer/app.tsx';
import { BrowserApp } from '#renderer/browser-app.tsx';
import type { HoldfastBridge } from '#renderer/client/electron-bridge.ts';
import { createElectronClient } from '#renderer/client/electron-client.ts';
import { createFeedConnection } from '#renderer/client/feed-connection.ts';
import { createRouter } from '#renderer/navigation/router.ts';
import { applyPreferences } from '#renderer/shell/preferences.ts';
import { createTabSession } from '#renderer/client/tab-session.ts';

function electronApp(bridge: HoldfastBridge): ReactNode {
  const client = createElectronClient(bridge);
  const router = createRouter(window);
  bridge.onOpen((path) => router.navigate(path));
  return <App services={{ client, feed: createFeedConnection(client), router }} />;
}

function browserApp(): ReactNode {
  const { location, history, sessionStorage: storage } = window;
  return <BrowserApp session={createTabSession({ location, history, storage })} />;
}

applyPreferences(document.documentElement);
const root = document.querySelector('#root');
if (!root) throw new Error('The page has no place for the app.');
createRoot(root).render(
  <StrictMode>{window.holdfast ? electronApp(window.holdfast) : browserApp()}</StrictMode>,
);
