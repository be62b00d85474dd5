// What can come in, and how it may come to its end before its time. Import them; never spell them
// again.

export const INPUT_KINDS = ['webhook', 'schedule', 'manual', 'producer'] as const;
export type InputKind = (typeof INPUT_KINDS)[number];

/** Asked for by a person: what waits is let go of, what has acted is finished. */
export const STOPS = ['skipped', 'canceled'] as const;
export type Stop = (typeof STOPS)[number];

/** Also by the clock. */
export const STOPPING_AS = [...STOPS, 'timed_out'] as const;
export type StopAs = (typeof STOPPING_AS)[number];

export const OUTBOX_KINDS = ['enqueue_enrich', 'enqueue_execute', 'write_completion'] as const;
export type OutboxKind = (typeof OUTBOX_KINDS)[number];

/** `dead`: tried too often; it waits for a person, and later rows of its run wait for it. */
export const OUTBOX_STATUSES = ['pending', 'dispatched', 'dead'] as const;
export type OutboxStatus = (typeof OUTBOX_STATUSES)[number];
