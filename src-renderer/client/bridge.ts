// What the preload puts on `window` in Electron.
import type { ApiResult } from '#shared/api/errors.ts';
import type { FeedMessage } from '#shared/api/feed.ts';

export interface HoldfastBridge {
  call(name: string, input: unknown): Promise<ApiResult<unknown>>;
  subscribe(onMessage: (message: FeedMessage) => void): () => void;
}

declare global {
  interface Window {
    readonly holdfast?: HoldfastBridge;
  }
}
