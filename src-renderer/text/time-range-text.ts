// The time filter of lists.
import type { Period } from '#renderer/format/time-range.ts';

export const PERIOD_LABELS: Readonly<Record<Period, string>> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
};

export const timeRangeText = {
  label: 'Time',
  all: 'Any time',
  custom: 'Custom range…',
  between: (from: string, to: string) => `${from} – ${to}`,
  after: (from: string) => `From ${from}`,
  before: (to: string) => `Until ${to}`,
  change: 'Change…',
  changeOf: ' time range',
  title: 'Custom range',
  from: 'From',
  to: 'To',
  hint: 'Uses this device’s time zone. Leave a side empty for no limit.',
  upsideDown: 'The end is before the start. Swap the two or clear one.',
  submit: 'Apply',
  choose: 'Set a custom time range',
} as const;
