// The order in which a device took events in. The clock alone can't tell it: two events may come in
// one millisecond, and a clock that is set back gives the later event an earlier time.

/** A time that never goes back on one device, and the place among the events of that time. */
export interface Arrival {
  readonly at: number;
  readonly place: number;
}

export function isEarlier(a: Arrival, b: Arrival): boolean {
  return a.at === b.at ? a.place < b.place : a.at < b.at;
}

/** The next arrival after `last`, by a clock that may stand still or go back. */
export function arrivalAfter(last: Arrival, now: number): Arrival {
  return now > last.at ? { at: now, place: 0 } : { at: last.at, place: last.place + 1 };
}
