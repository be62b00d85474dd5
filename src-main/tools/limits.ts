// Limits of tools, each with its reason.

const KIB = 1024;
const MIB = 1024 * KIB;

/** One response or file: fits the sandbox's memory and a ledger row. */
export const MAX_CONTENT_BYTES = 1 * MIB;

/** Feeds are reduced to entries; podcasts with years of history are this large. */
export const MAX_FEED_BYTES = 8 * MIB;
export const MAX_FEED_ENTRIES = 500;
/** One text of a feed entry. The full article is behind its link. */
export const MAX_FEED_TEXT = 4 * KIB;

/** Read results stay in memory: room for a full response with every character escaped. */
export const MAX_READ_RESULT_BYTES = 10 * MIB;
/** An effect's result is a synced row. */
export const MAX_MUTATION_RESULT_BYTES = 2 * MIB;

/** Stored part of an oversized response, so that a person can recognize it. */
export const MAX_EXCERPT_BYTES = 4 * KIB;

export const DEFAULT_TIMEOUT_MS = 30_000;
export const MAX_TIMEOUT_MS = 300_000;
/** Longer than a slow handshake, shorter than a person's patience. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Per address of a name; Node's default of 250 ms is too short for bad connections. */
export const ADDRESS_TIMEOUT_MS = 2_500;
/** A server may close an idle connection just when we send, which makes the outcome unknown. Many
 * do so after five seconds, some after two. */
export const IDLE_CONNECTION_MS = 1_000;
export const MAX_REDIRECTS = 5;

/** A server that lost its client may still process the request for this long. */
export const SETTLE_MS = 30_000;

export const MAX_URL_LENGTH = 8 * KIB;
export const MAX_PATH_LENGTH = 4 * KIB;
export const MAX_LISTED = 10_000;
/** Finding a marker reads the whole file. */
export const MAX_APPEND_FILE_BYTES = 64 * MIB;

/** Delay of the next check if the outside could not be asked and named no time. */
export const UNREACHED_CHECK_MS = 60_000;
