// Formats numbers and lists in the locale of the interface text.

/** Matches the language of the interface text, so dates and numbers agree with it. */
export const LOCALE = 'en-GB';

const numbers = new Intl.NumberFormat(LOCALE);
export const count = (value: number): string => numbers.format(value);
export const counted = (value: number, one: string, many: string): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** How many rows of a live list are loaded, and how many wait. */
export const rowCounts = (one: string, many: string) => ({
  loaded: (loaded: number, isComplete: boolean): string =>
    isComplete ? counted(loaded, one, many) : `${count(loaded)} loaded, more below`,
  waiting: (waiting: number, hasMore: boolean): string =>
    hasMore ? `${count(waiting)}+ new ${many}` : counted(waiting, `new ${one}`, `new ${many}`),
});

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** For example 820 byte, 3.2 kB, 14 MB. Steps of 1000, like file managers. */
export function bytes(value: number): string {
  const step = value < 1000 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), 4);
  return new Intl.NumberFormat(LOCALE, {
    style: 'unit',
    unit: BYTE_UNITS[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumSignificantDigits: 3,
  }).format(value / 1000 ** step);
}

export const list = new Intl.ListFormat(LOCALE, { type: 'conjunction' });
