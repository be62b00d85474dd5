// Names of the IPC channels between main process and preload.

export const CALL_CHANNEL = 'holdfast:call';
export const FOLLOW_CHANNEL = 'holdfast:follow';
export const FEED_CHANNEL = 'holdfast:feed';
/** From the main process: open this path in the window. */
export const OPEN_CHANNEL = 'holdfast:open';
