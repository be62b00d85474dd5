// The levels of the host's log, the most urgent first.
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevelName = (typeof LOG_LEVELS)[number];

export const DEFAULT_LOG_LEVEL: LogLevelName = 'info';
