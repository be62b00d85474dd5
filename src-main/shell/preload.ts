// All that the window gets of the main process: calls, the feed, and where to go. Runs sandboxed.
import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';
import { CALL_CHANNEL, FEED_CHANNEL, FOLLOW_CHANNEL, OPEN_CHANNEL } from '#main/shell/channels.ts';

/** Of the follow that counts. Random: to a page that loads again, what it followed before is over. */
let following = '';

contextBridge.exposeInMainWorld('holdfast', {
  call: (name: string, input: unknown): Promise<unknown> =>
    ipcRenderer.invoke(CALL_CHANNEL, name, JSON.stringify(input)),
  subscribe: (onMessage: (message: unknown) => void): (() => void) => {
    // What was on its way when a new follow began would come before its hello.
    const listener = (_event: IpcRendererEvent, follow: unknown, message: unknown): void => {
      if (follow === following) onMessage(message);
    };
    ipcRenderer.on(FEED_CHANNEL, listener);
    following = crypto.getRandomValues(new Uint32Array(4)).join('-');
    void ipcRenderer.invoke(FOLLOW_CHANNEL, following);
    return () => ipcRenderer.off(FEED_CHANNEL, listener);
  },
  onOpen: (open: (path: string) => void): void => {
    ipcRenderer.on(OPEN_CHANNEL, (_event: IpcRendererEvent, path: unknown) => {
      if (typeof path === 'string') open(path);
    });
  },
});
