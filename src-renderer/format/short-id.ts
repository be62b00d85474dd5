// Ids as people read them: enough to tell apart, with the whole one on hover.

const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** A ULID begins with its time, which many share; a hash differs from the first letter on. */
export const shortId = (id: string): string => (ULID.test(id) ? id.slice(-8) : id.slice(0, 8));
