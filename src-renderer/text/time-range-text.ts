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
  custom: 'From, to…',
  between: (from: string, to: string) => `${from} – ${to}`,
  after: (from: string) => `From ${from}`,
  before: (to: string) => `Until ${to}`,
  change: 'Change…',
  changeOf: ' the time',
  title: 'From, to',
  from: 'From',
  to: 'To',
  hint: 'In the time of this device. Left empty, it is open on that side.',
  upsideDown: 'It ends before it begins, so nothing can be in it. Swap the two, or clear one.',
  submit: 'Show',
  choose: 'Choose a time from, to',
} as const;
