// How far back a list goes, in words that stay true when the link is opened later.

export const PERIODS = ['1h', '24h', '7d', '30d'] as const;
export type Period = (typeof PERIODS)[number];

const HOUR = 60 * 60_000;
export const PERIOD_MS: Readonly<Record<Period, number>> = {
  '1h': HOUR,
  '24h': 24 * HOUR,
  '7d': 7 * 24 * HOUR,
  '30d': 30 * 24 * HOUR,
};
