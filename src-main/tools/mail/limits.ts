// The limits of mail, each with its reason.

const KIB = 1024;
const MIB = 1024 * KIB;

/** Lists of people belong to a list server; providers refuse more than about this. */
export const MAX_RECIPIENTS = 100;
export const MAX_ATTACHMENTS_SENT = 50;

/** A server may look long at who calls before it greets. */
export const GREETING_TIMEOUT_MS = 30_000;
/** RFC 5321 gives a server ten minutes for its last answer; giving up early makes doubt. */
export const SMTP_SILENCE_MS = 600_000;
export const IMAP_SILENCE_MS = 60_000;
/** The mail is sent: its answer must not wait long for a courtesy. */
export const FILING_TIMEOUT_MS = 20_000;
/** What one answer of an IMAP server may take of our memory. */
export const MAX_IMAP_ANSWER_BYTES = 32 * MIB;

/** Reconcile looks into this many folders, each a round trip or three, the likely ones first. */
export const MAX_FOLDERS_SEARCHED = 40;

export const MAX_FOUND = 100;
/** Text and HTML of a mail, each: together they stay below one payload. */
export const MAX_BODY_BYTES = 256 * KIB;
export const MAX_ATTACHMENTS_NAMED = 100;
export const MAX_ADDRESSES_NAMED = 100;
export const MAX_HEADER_LENGTH = 1000;
/** Parts within parts: more than any mail program writes. */
export const MAX_MIME_DEPTH = 50;
/** A server's own words in an error: what a person still reads. */
export const MAX_REPLY_LENGTH = 300;
