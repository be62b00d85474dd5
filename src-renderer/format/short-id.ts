// Shortened ids for display. The full id is in the tooltip.

const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** A ULID starts with its time, so its end differs; a hash differs from the start. */
export const shortId = (id: string): string => (ULID.test(id) ? id.slice(-8) : id.slice(0, 8));
