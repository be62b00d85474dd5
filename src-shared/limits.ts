// Every limit has a name, a value and a reason, here and nowhere else.

const KIB = 1024;
const MIB = 1024 * KIB;

/** One event or run-log payload: what a device can sync and a person can still look at. */
export const MAX_PAYLOAD_BYTES = 1 * MIB;

/** Handler state is read and written on every run; more belongs into files. */
export const MAX_STATE_BYTES = 256 * KIB;

/** One API call: room for one full payload and its envelope. */
export const MAX_REQUEST_BYTES = 2 * MIB;

/** Levels of objects and lists in one call: SQLite reads JSON up to 1000, parsers up to their stack. */
export const MAX_INPUT_DEPTH = 100;

/** What is wrong with an input is told in lines that a person can read, not in all it held. */
export const MAX_PROBLEMS = 20;
export const MAX_PROBLEM_LENGTH = 300;

/** A script is source text that a person wrote. */
export const MAX_SCRIPT_BYTES = 1 * MIB;

/** Names and titles are shown in one line. */
export const MAX_NAME_LENGTH = 200;

/** Ids of ours are 26 to 64 characters; the rest is room for those of other systems. */
export const MAX_ID_LENGTH = 200;

export const PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 200;

/** Run-log records in one answer: a run page shows a screen of them, follows with the next. */
export const MAX_EVENTS_PAGE = 1000;

/** Compare-and-swap of the run pointer (spec 000): 25 ms × 2^attempt with jitter, 5 attempts. */
export const CAS_BASE_DELAY_MS = 25;
export const CAS_MAX_ATTEMPTS = 5;

/** Changes are gathered this long before the feed sends them: one frame of a screen. */
export const FEED_WINDOW_MS = 16;

/** More changed rows of one table than this and the feed says "many": asking anew is cheaper. */
export const FEED_MAX_IDS = 200;

/** A feed client that is this far behind is told to ask anew instead of being buffered for. */
export const FEED_MAX_BUFFERED_BYTES = 1 * MIB;

/** How long another process may hold the write lock before we give up with a sentence. */
export const BUSY_TIMEOUT_MS = 5000;

/** Backups made before migrations: the newest ones are kept. */
export const MIGRATION_BACKUPS_KEPT = 5;
