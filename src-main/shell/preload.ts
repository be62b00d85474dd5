// The window's API to the main process: calls, the change feed, and paths to open. Runs sandboxed.
import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';
import { CALL_CHANNEL, FEED_CHANNEL, FOLLOW_CHANNEL, OPEN_CHANNEL } from '#main/shell/channels.ts';

/** Id of the current subscription. Random, so that a reloaded page ignores its earlier one. */
let currentSubscription = '';

contextBridge.exposeInMainWorld('holdfast', {
  call: (name: string, input: unknown): Promise<unknown> =>
    ipcRenderer.invoke(CALL_CHANNEL, name, JSON.stringify(input)),
  subscribe: (onMessage: (message: unknown) => void): (() => void) => {
    // Messages of an earlier subscription may still be in transit.
    const listener = (_event: IpcRendererEvent, subscription: unknown, message: unknown): void => {
      if (subscription === currentSubscription) onMessage(message);
    };
    ipcRenderer.on(FEED_CHANNEL, listener);
    currentSubscription = crypto.getRandomValues(new Uint32Array(4)).join('-');
    void ipcRenderer.invoke(FOLLOW_CHANNEL, currentSubscription);
    return () => ipcRenderer.off(FEED_CHANNEL, listener);
  },
  onOpen: (open: (path: string) => void): void => {
    ipcRenderer.on(OPEN_CHANNEL, (_event: IpcRendererEvent, path: unknown) => {
      if (typeof path === 'string') open(path);
    });
  },
});
