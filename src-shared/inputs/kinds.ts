// Enumerations of inputs, stops and outbox rows. Import them instead of repeating the literals.

export const INPUT_KINDS = ['webhook', 'schedule', 'manual', 'producer'] as const;
export type InputKind = (typeof INPUT_KINDS)[number];

/** Requested by a person: pending events are skipped, and runs past their effect finish. */
export const STOPS = ['skipped', 'canceled'] as const;
export type Stop = (typeof STOPS)[number];

/** Also includes deadlines and inactivity. */
export const STOPPING_AS = [...STOPS, 'timed_out', 'failed'] as const;
export type StopAs = (typeof STOPPING_AS)[number];

export const OUTBOX_KINDS = ['enqueue_enrich', 'enqueue_execute', 'write_completion'] as const;
export type OutboxKind = (typeof OUTBOX_KINDS)[number];

/** `dead` rows failed too often and wait for a person; later rows of the run wait for them. */
export const OUTBOX_STATUSES = ['pending', 'dispatched', 'dead'] as const;
export type OutboxStatus = (typeof OUTBOX_STATUSES)[number];
