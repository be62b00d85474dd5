// The API that the preload script exposes on `window` in Electron.
import type { ApiResult } from '#shared/api/errors.ts';
import type { FeedMessage } from '#shared/api/feed.ts';

export interface HoldfastBridge {
  call(name: string, input: unknown): Promise<ApiResult<unknown>>;
  subscribe(onMessage: (message: FeedMessage) => void): () => void;
  /**
   * Called with a path requested outside the window: by a notification, a deep link or the tray.
   */
  onOpen(open: (path: string) => void): void;
}

declare global {
  interface Window {
    readonly holdfast?: HoldfastBridge;
  }
}
