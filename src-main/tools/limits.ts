// The limits of tools, each with its reason.

const KIB = 1024;
const MIB = 1024 * KIB;

/** One answer or one file: what a workflow can hold in its sandbox and a ledger row can keep. */
export const MAX_CONTENT_BYTES = 1 * MIB;

/** A feed is cut down to its entries; podcasts with years of history are this large. */
export const MAX_FEED_BYTES = 8 * MIB;
export const MAX_FEED_ENTRIES = 500;
/** One text of a feed entry: whoever wants the whole article follows its link. */
export const MAX_FEED_TEXT = 4 * KIB;

/** A read result lives in memory only: room for a full answer with every character escaped. */
export const MAX_READ_RESULT_BYTES = 10 * MIB;
/** A mutation's result is a row that syncs. */
export const MAX_MUTATION_RESULT_BYTES = 2 * MIB;

/** What is kept of an answer that was too long, so that a person sees what it was. */
export const KEPT_OF_LONG_ANSWER = 4 * KIB;

export const DEFAULT_TIMEOUT_MS = 30_000;
export const MAX_TIMEOUT_MS = 300_000;
/** Longer than a slow handshake over a bad line, shorter than a person's patience. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Of several addresses of one name each gets this long: Node's 250 ms is too short for a bad line. */
export const ADDRESS_TIMEOUT_MS = 2_500;
/** A server may close an idle connection just when we send, which makes the outcome unknown. Many
 * do so after five seconds, some after two. */
export const IDLE_CONNECTION_MS = 1_000;
export const MAX_REDIRECTS = 5;

/** A server that lost its client may still be at work on the request for this long. */
export const SETTLE_MS = 30_000;

export const MAX_URL_LENGTH = 8 * KIB;
export const MAX_PATH_LENGTH = 4 * KIB;
export const MAX_LISTED = 10_000;
/** A file to append to is read whole to find a marker in it. */
export const MAX_APPEND_FILE_BYTES = 64 * MIB;
