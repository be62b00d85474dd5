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
export const MAX_MIGRATION_BACKUPS = 5;

/** A consumer that found nothing to do may ask to be woken within these bounds. */
export const MIN_WAKE_MS = 30_000;
export const MAX_WAKE_MS = 24 * 60 * 60 * 1000;

/** A session waits this long for more work before it ends: a start costs four rows. */
export const SESSION_LINGER_MS = 5000;

/** One phase of user code. Reads may wait for slow servers; computing is cheap. */
export const PHASE_WALL_MS = 5 * 60_000;
export const PHASE_CPU_MS = 5000;
export const PHASE_MEMORY_BYTES = 64 * MIB;

/** One call of a tool, from the first byte to the last. */
export const EFFECT_DEADLINE_MS = 2 * 60_000;

/** Events that one run can reserve or publish: a run is one thing, not a batch job. */
export const MAX_RESERVATIONS = 100;
export const MAX_PUBLISHES = 1000;
export const MAX_PEEK = 1000;

/** Transient failures: 1 s × 2^n with jitter up to 5 minutes; then a person is asked. */
export const RETRY_BASE_MS = 1000;
export const RETRY_MAX_MS = 5 * 60_000;
export const MAX_TRANSIENT_RETRIES = 10;

/** So many logic failures set one event aside; so many events set aside in a row pause all. */
export const LOGIC_FAILURES_BEFORE_ASIDE = 3;
export const ASIDE_IN_A_ROW_BEFORE_PAUSE = 3;

/** Asking the outside what became of an effect: 2 s × 2^n, then a person is asked. */
export const RECONCILE_BASE_MS = 2000;
export const RECONCILE_MAX_MS = 10 * 60_000;
export const MAX_RECONCILE_ATTEMPTS = 8;

/** Events that follow from events that follow from events …: longer is a loop, not a pipeline. */
export const MAX_CHAIN_DEPTH = 1000;

/** Events that a dry run begins with: typed by a person. */
export const MAX_TRIED_EVENTS = 100;

/** A dry run that takes longer goes round, or waits for an outside that does not answer. */
export const DRY_RUN_MS = 60_000;

/** Runs that one workflow may make: more is a loop, not work. */
export const MAX_RUNS_PER_HOUR = 100_000;

/** What a merge brought and could not be looked at (a full disk) is looked at again after this. */
export const MERGE_RETRY_MS = 10_000;

/** When nothing was done for so long, what was done is put on disk. */
export const QUIET_BEFORE_SYNC_MS = 50;

/** How often the finalizer looks for runs that nobody works on any more. */
export const FINALIZER_PERIOD_MS = 30_000;

/** One frame between devices, unpacked: room for one change of the largest value. */
export const SYNC_MAX_FRAME_BYTES = 16 * MIB;

/** One value of a change: a script of 1 MiB in JSON, should each of its characters need six. */
export const SYNC_MAX_VALUE_BYTES = 8 * MIB;

/** What a device reads, sends and merges at once: some milliseconds of work, then others get a turn. */
export const SYNC_FRAME_CHANGES = 450;
export const SYNC_FRAME_BYTES = 256 * KIB;

/** One part of a key: ids of ours have at most 64 characters, those of others 200. */
export const SYNC_MAX_KEY_BYTES = 1 * KIB;

/** How often a column can have been written, a row deleted and made again: more is no history. */
export const SYNC_MAX_COLUMN_VERSION = 2 ** 40;
export const SYNC_MAX_CAUSAL_LENGTH = 2 ** 31;

/** SQLite reads JSON up to this depth. */
export const SYNC_MAX_JSON_DEPTH = 1000;

/** Greetings and figures: everything between devices that is no change. */
export const SYNC_MAX_CONTROL_BYTES = 64 * KIB;

/** Frames on their way that the other device has not confirmed. */
export const SYNC_WINDOW_FRAMES = 8;

/** Local changes are gathered this long before they are pushed: nobody sees it, and it batches. */
export const SYNC_PUSH_WINDOW_MS = 20;

/** A device that owes an answer longer than this is gone. */
export const SYNC_ANSWER_MS = 60_000;

/** What was said before a link is closed gets this long to arrive. */
export const SYNC_FAREWELL_MS = 1000;

/** Figures of a sync are told to whoever looks at most this often; each new state at once. */
export const SYNC_NOTIFY_EVERY_MS = 500;

/** Clocks further apart than this are worth a word to the person. */
export const SYNC_MAX_SKEW_MS = 2 * 60_000;

/** Versions that are all the peer's own: so many of them are told, to not look through them again. */
export const SYNC_EMPTY_ADVANCE = 256;

/** Openings of the database that a device can still tell apart; older ones cost one full sync. */
export const SYNC_MAX_LINEAGES = 64;
/** One frame of a link: room for several of the largest payloads; more is split by who sends it. */
export const MAX_FRAME_BYTES = 16 * MIB;

/** What a device says before it is trusted, and in hello and goodbye: names, addresses, hashes. */
export const MAX_GREETING_BYTES = 8 * KIB;

/** From the first byte until both sides know each other. */
export const LINK_HANDSHAKE_MS = 10_000;

/** How long an address may take to answer before the next one is tried. */
export const LINK_DIAL_MS = 5000;

/** The one that dialled asks whether the other is still there: under 300 bytes a minute, IP included. */
export const LINK_PING_MS = 45_000;

/** Nothing heard for two pings and a bit: the other is gone, whatever the system says. */
export const LINK_SILENCE_MS = 100_000;

/** When a second link comes for a peer, the first has this long to prove that it lives. */
export const LINK_PROBE_MS = 5000;

/** Dialling a peer that does not answer: 1 s × 2^n with jitter up to 5 minutes. */
export const LINK_RETRY_BASE_MS = 1000;
export const LINK_RETRY_MAX_MS = 5 * 60_000;

/** Connections at once: paired devices are few, the rest are strangers. */
export const MAX_LINK_CONNECTIONS = 64;

/** Addresses that are kept and tried for one device. */
export const MAX_PEER_ADDRESSES = 8;
export const MAX_ADDRESS_LENGTH = 280;

/** A device that was unpaired is told so when it comes, for so long. */
export const UNPAIRED_NOTICE_MS = 30 * 24 * 60 * 60 * 1000;

/** An invitation, and the time that a device waits for comparisons: enough to walk to the other. */
export const INVITATION_MS = 10 * 60_000;

/** Wrong tokens, or comparisons that did not end in a match: then somebody is guessing. */
export const MAX_PAIRING_TRIES = 3;

/** Two people look at six digits and answer. */
export const COMPARISON_MS = 2 * 60_000;

/** Further apart, two histories cannot be read side by side: times must mean the same. */
export const MAX_CLOCK_DIFFERENCE_MS = 60 * 60_000;

/** Invitations that are remembered after their end, so that a late guest is told why. */
export const MAX_REMEMBERED_INVITATIONS = 32;

/** Devices that are shown as nearby: a list that a person reads. */
export const MAX_NEARBY = 50;

/** How long a first look around waits for answers. */
export const NEARBY_MS = 1500;

/** A file of changes in a shared folder: large enough to be few, small enough to be copied soon. */
export const SYNC_FOLDER_FILE_BYTES = 8 * MIB;

/** A lease of a stage (spec 004): five minutes, then its worker is taken for dead. */
export const LEASE_MS = 5 * 60_000;

/** Outbox: 1 s × 2^n with jitter up to 5 minutes; after ten tries a row is dead, and shown. */
export const OUTBOX_BASE_MS = 1000;
export const OUTBOX_MAX_MS = 5 * 60_000;
export const OUTBOX_MAX_ATTEMPTS = 10;

/** Stages at work at once: they mostly wait for the disk. */
export const OUTBOX_WORKERS = 8;

/** An input ends by then, whatever became of it: a week outlasts a holiday of the machine. */
export const RUN_DEADLINE_MS = 7 * 24 * 60 * 60_000;

/** Nothing happened under an input for so long: a consumer that waits says so for a day at most. */
export const RUN_INACTIVITY_MS = 2 * MAX_WAKE_MS;

/** How often the finalizer looks for inputs that do not end by themselves. */
export const INPUT_FINALIZER_MS = 5 * 60_000;

/** Rows that one page of a text search looks through: some ten milliseconds, which others wait for. */
export const SEARCH_WINDOW = 2500;

/** Steps of one story: what a person can still read. */
export const MAX_STORY_STEPS = 500;

/** What a run ends with; more belongs into a file. */
export const MAX_COMPLETION_BYTES = 256 * KIB;

/** Inputs that one run of a producer may register. */
export const MAX_REGISTERED_INPUTS = 1000;

/** How far the time in a signature may be from ours, where a hook does not say: as Stripe has it. */
export const SIGNATURE_TOLERANCE_S = 300;
/** A signature that is good for longer than a day is as good as one without a time. */
export const MAX_SIGNATURE_TOLERANCE_S = 24 * 60 * 60;

/** Webhooks of one hook: so many at once, then so many a second. */
export const HOOK_BURST = 1000;
export const HOOK_RATE_PER_S = 500;
/** Hooks whose rate is remembered: more than anyone makes by hand. */
export const MAX_RATED_HOOKS = 10_000;

/** A key that tells one input from another: a header or a field, not a document. */
export const MAX_DEDUP_KEY_LENGTH = 512;
/** Parts of a JSON path, and paths that are named for redaction. */
export const MAX_PATH_PARTS = 32;
export const MAX_REDACT_PATHS = 200;

/** What was redacted is a list that a person reads; the rest is counted. */
export const MAX_REDACTED_LISTED = 1000;
/** A key in a path of that list: enough to recognise it. */
export const MAX_SHOWN_KEY_LENGTH = 64;

/** Answers to calls with an Idempotency-Key: a client that retries later than this asks anew. */
export const IDEMPOTENCY_KEPT_MS = 48 * 60 * 60 * 1000;
/** Calls whose outcome is unknown are remembered longer: nobody may take them for new ones soon. */
export const IDEMPOTENCY_UNKNOWN_KEPT_MS = 30 * 24 * 60 * 60 * 1000;
export const IDEMPOTENCY_SWEEP_MS = 10 * 60_000;
/** How long the second of two equal requests waits for the answer to the first. */
export const IDEMPOTENCY_WAIT_MS = 30_000;
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

/** Figures of the last hour, in memory: one point for each ten seconds. */
export const SERIES_STEP_MS = 10_000;
export const SERIES_POINTS = 360;

/** Combinations of labels of one metric; more is a mistake, and is counted as "other". */
export const MAX_LABEL_SETS = 500;

/** A queue is counted up to here: what is more is long, however long. */
export const MAX_QUEUE_COUNTED = 10_000;

/** Spans wait for their collector in memory, so many; the oldest are dropped. */
export const TRACE_MAX_QUEUED = 4096;
export const TRACE_BATCH = 512;
export const TRACE_FLUSH_MS = 5000;
export const TRACE_TIMEOUT_MS = 10_000;
/** The longest that a decision about an effect waits for being taken back. */
export const MAX_GRACE_MS = 15_000;
/** Backups: one a day, a week of them; more is for whoever wants it. */
export const BACKUP_EVERY_MS = 24 * 60 * 60 * 1000;
export const DAILY_BACKUPS_KEPT = 7;
export const MAX_BACKUPS_KEPT = 1000;

/** A host that just started has better things to do than to copy itself. */
export const BACKUP_AFTER_START_MS = 2 * 60_000;

/** A backup that could not be made (a full disk) is tried again after this. */
export const BACKUP_RETRY_MS = 60 * 60_000;

/** Old history leaves in steps of some milliseconds, looked for a few times a day. */
export const RETENTION_EVERY_MS = 6 * 60 * 60 * 1000;
export const RETENTION_AFTER_START_MS = 10 * 60_000;
export const RETENTION_BATCH = 50;
/** A person wants to know how much; beyond this, "at least" tells them enough. */
export const RETENTION_PREVIEW_MAX = 20_000;
export const MAX_RETENTION_DAYS = 36_500;

/** An artifact is on disk before the row that names it; one that no row names is removed after this. */
export const ARTIFACT_GRACE_MS = 24 * 60 * 60 * 1000;

/** Pages that are given back to the system at once: 1 MiB. */
export const RETENTION_PAGES = 256;
