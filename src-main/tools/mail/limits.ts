// Limits of mail, each with its reason.

const KIB = 1024;
const MIB = 1024 * KIB;

/** Providers refuse more than about this; larger lists need a list server. */
export const MAX_RECIPIENTS = 100;
export const MAX_ATTACHMENTS_SENT = 50;

/** Some servers delay the greeting to check the client. */
export const GREETING_TIMEOUT_MS = 30_000;
/** RFC 5321 allows ten minutes for the last response; a shorter timeout leaves outcomes unknown. */
export const SMTP_SILENCE_MS = 600_000;
export const IMAP_SILENCE_MS = 60_000;
/** The mail is sent; filing the copy must not delay the result for long. */
export const FILING_TIMEOUT_MS = 20_000;
/** Memory limit for one IMAP response. */
export const MAX_IMAP_ANSWER_BYTES = 32 * MIB;

/** Folders that a check searches, one to three round trips each, most likely first. */
export const MAX_FOLDERS_SEARCHED = 40;

export const MAX_FOUND = 100;
/** Text and HTML each; together they fit one payload. */
export const MAX_BODY_BYTES = 256 * KIB;
export const MAX_ATTACHMENTS_NAMED = 100;
export const MAX_ADDRESSES_NAMED = 100;
export const MAX_HEADER_LENGTH = 1000;
/** Nesting depth of MIME parts, more than any mail program writes. */
export const MAX_MIME_DEPTH = 50;
/** Length of a server's message in an error. */
export const MAX_REPLY_LENGTH = 300;
