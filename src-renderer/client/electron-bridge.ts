// What the preload puts on `window` in Electron.
import type { ApiResult } from '#shared/api/errors.ts';
import type { FeedMessage } from '#shared/api/feed.ts';

export interface HoldfastBridge {
  call(name: string, input: unknown): Promise<ApiResult<unknown>>;
  subscribe(onMessage: (message: FeedMessage) => void): () => void;
  /** A place that somebody asked for outside of the window: a notice, a link, the tray. */
  onOpen(open: (path: string) => void): void;
}

declare global {
  interface Window {
    readonly holdfast?: HoldfastBridge;
  }
}
