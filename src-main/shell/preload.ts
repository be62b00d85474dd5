// All that the window gets of the main process: calls, the feed, and where to go. Runs sandboxed.
import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';
import { CALL_CHANNEL, FEED_CHANNEL, FOLLOW_CHANNEL, OPEN_CHANNEL } from '#main/shell/channels.ts';

contextBridge.exposeInMainWorld('holdfast', {
  call: (name: string, input: unknown): Promise<unknown> =>
    ipcRenderer.invoke(CALL_CHANNEL, name, JSON.stringify(input)),
  subscribe: (onMessage: (message: unknown) => void): (() => void) => {
    const listener = (_event: IpcRendererEvent, message: unknown): void => onMessage(message);
    ipcRenderer.on(FEED_CHANNEL, listener);
    void ipcRenderer.invoke(FOLLOW_CHANNEL);
    return () => ipcRenderer.off(FEED_CHANNEL, listener);
  },
  onOpen: (open: (path: string) => void): void => {
    ipcRenderer.on(OPEN_CHANNEL, (_event: IpcRendererEvent, path: unknown) => {
      if (typeof path === 'string') open(path);
    });
  },
});
