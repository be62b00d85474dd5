// The names of the IPC channels: used by main and preload, nowhere else.

export const CALL_CHANNEL = 'holdfast:call';
export const FOLLOW_CHANNEL = 'holdfast:follow';
export const FEED_CHANNEL = 'holdfast:feed';
/** From main: the window is to show this place. */
export const OPEN_CHANNEL = 'holdfast:open';
