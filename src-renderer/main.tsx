// Starts the app: in Electron with the preload's bridge, in a browser with the access key from the
// link.
import '#renderer/zod-without-eval.ts';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from '#renderer/app.tsx';
import { BrowserApp } from '#renderer/browser-app.tsx';
import type { HoldfastBridge } from '#renderer/client/bridge.ts';
import { createElectronClient } from '#renderer/client/electron.ts';
import { createLive } from '#renderer/live.ts';
import { createRouter } from '#renderer/router.ts';
import { followSettings } from '#renderer/shell/settings.ts';
import { createTabSession } from '#renderer/tab-session.ts';

function electronApp(bridge: HoldfastBridge): ReactNode {
  const client = createElectronClient(bridge);
  const router = createRouter(window);
  bridge.onOpen((path) => router.navigate(path));
  return <App parts={{ client, live: createLive(client), router }} />;
}

function browserApp(): ReactNode {
  const { location, history, sessionStorage: storage } = window;
  return <BrowserApp session={createTabSession({ location, history, storage })} />;
}

followSettings(document.documentElement);
const root = document.querySelector('#root');
if (!root) throw new Error('The page has no place for the app.');
createRoot(root).render(
  <StrictMode>{window.holdfast ? electronApp(window.holdfast) : browserApp()}</StrictMode>,
);
