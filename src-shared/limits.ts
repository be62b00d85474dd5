// All limits of the app, each with its reason. Limits of one module only may live in that module.

const KIB = 1024;
const MIB = 1024 * KIB;

/** One event or run-log payload: small enough to sync and to display. */
export const MAX_PAYLOAD_BYTES = 1 * MIB;

/** Handler state is read and written in every run. */
export const MAX_STATE_BYTES = 256 * KIB;

/** One API call: room for one full payload and its envelope. */
export const MAX_REQUEST_BYTES = 2 * MIB;

/** Nesting of objects and arrays in one call. SQLite parses JSON up to 1000 levels. */
export const MAX_INPUT_DEPTH = 100;

/** Validation errors are listed for a person, so their number and length are limited. */
export const MAX_PROBLEMS = 20;
export const MAX_PROBLEM_LENGTH = 300;
/** Backoff of the failed work of a workflow. */
export const REFUSED_WORK_BASE_MS = 30_000;
export const REFUSED_WORK_MAX_MS = 3_600_000;
/** Refused rows in the inbox, the oldest first. */
export const MAX_REFUSED_SHOWN = 100;
/** Length of the reason in a refused row, in characters. */
export const MAX_REFUSAL_LENGTH = 500;

/** The source text of one workflow. */
export const MAX_SCRIPT_BYTES = 1 * MIB;

/** Names and titles are shown in one line. */
export const MAX_NAME_LENGTH = 200;

/** Holdfast's ids have 26 to 64 characters; ids of other systems may be longer. */
export const MAX_ID_LENGTH = 200;

export const PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 200;

/** Run-log records in one response. */
export const MAX_EVENTS_PAGE = 1000;

/** Compare-and-swap of the run pointer (spec 000): 25 ms × 2^attempt with jitter, 5 attempts. */
export const CAS_BASE_DELAY_MS = 25;
export const CAS_MAX_ATTEMPTS = 5;

/** The feed collects changes for one screen frame before it sends them. */
export const FEED_WINDOW_MS = 16;

/** With more changed rows per table, the feed sends "many", because reloading is cheaper. */
export const FEED_MAX_IDS = 200;

/** A feed client with more unsent bytes gets a resync message instead of a longer buffer. */
export const FEED_MAX_BUFFERED_BYTES = 1 * MIB;

/** How long a write waits for another process's lock before it fails. */
export const BUSY_TIMEOUT_MS = 5000;

/** The newest backups that migrations made; older ones are deleted. */
export const MAX_MIGRATION_BACKUPS = 5;

/** The range of `wakeAt` for a consumer without work. */
export const MIN_WAKE_MS = 30_000;
export const MAX_WAKE_MS = 24 * 60 * 60 * 1000;

/** An idle session waits this long before it ends, because starting one writes four rows. */
export const SESSION_LINGER_MS = 5000;

/** Limits of one phase of user code. The wall time allows for slow servers. */
export const PHASE_WALL_MS = 5 * 60_000;
export const PHASE_CPU_MS = 5000;
export const PHASE_MEMORY_BYTES = 64 * MIB;

/** One tool call, from the first byte to the last. */
export const EFFECT_DEADLINE_MS = 2 * 60_000;

/** Events that one run may reserve, publish or peek. A run handles one item, not a batch. */
export const MAX_RESERVATIONS = 100;
export const MAX_PUBLISHES = 1000;
export const MAX_PEEK = 1000;
/** Inputs whose events one run may take. What it publishes belongs to each of them. */
export const MAX_INPUTS_OF_RUN = 1000;

/** How often one run calls prepare() when the events that it read keep changing. */
export const MAX_PREPARES = 10;

/** Transient failures: 1 s × 2^n with jitter, up to 5 minutes. After the last retry a person decides. */
export const RETRY_BASE_MS = 1000;
export const RETRY_MAX_MS = 5 * 60_000;
export const MAX_TRANSIENT_RETRIES = 10;

/** Work that waits for a host is woken when the host can be reached. This is the fallback if the wake is
 * lost. */
export const OUTSIDE_RECHECK_MS = 6 * 60 * 60_000;

/** A service that asks to wait (Retry-After) is left alone for that long, up to this. */
export const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;

/** Logic failures before an event is set aside, and consecutive such events before the workflow pauses. */
export const LOGIC_FAILURES_BEFORE_ASIDE = 3;
export const ASIDE_IN_A_ROW_BEFORE_PAUSE = 3;

/** Reconciling an effect: 2 s × 2^n. After the last attempt a person decides. */
export const RECONCILE_BASE_MS = 2000;
export const RECONCILE_MAX_MS = 10 * 60_000;
export const MAX_RECONCILE_ATTEMPTS = 8;

/** Time between the two negative answers that prove that an effect didn't happen: a single one could come
 * from a replica that lags, or from just before the effect. */
export const NEGATIVES_APART_MS = 5000;

/** From the commit that puts an effect in flight to its first byte. Longer than connecting may take
 * (CONNECT_TIMEOUT_MS), so that only a sleep or a stall exceeds it, and not a slow network. */
export const SEND_WITHIN_MS = 15_000;
/** Checks that don't reach the service use up one attempt in this time: a person is asked after a day. */
export const UNREACHED_ATTEMPT_MS = 3 * 60 * 60_000;

/** Length of a chain of events that cause each other. A longer chain is a loop. */
export const MAX_CHAIN_DEPTH = 1000;

/** Events that a person may enter for a dry run. */
export const MAX_TRIED_EVENTS = 100;

/** A longer dry run loops or waits for a server that does not respond. */
export const DRY_RUN_MS = 60_000;

/** Runs of one workflow. More runs mean a loop. */
export const MAX_RUNS_PER_HOUR = 100_000;

/** Delay before merged rows are processed again after a failure, such as a full disk. */
export const MERGE_RETRY_MS = 10_000;

/** The same for a decision that could not be carried out. */
export const DECISION_RETRY_MS = 10_000;

/** Every commit is on disk after this time. */
export const FSYNC_WITHIN_MS = 50;

/** While there are commits, the high-water mark outside of the database follows at this interval. */
export const MARK_EVERY_MS = 1000;

/** How often the finalizer looks for abandoned runs. */
export const FINALIZER_PERIOD_MS = 30_000;

/** One decompressed frame between devices: room for one change of the largest value. */
export const SYNC_MAX_FRAME_BYTES = 16 * MIB;

/** One value of a change: a script of 1 MiB as JSON with every character escaped to six. */
export const SYNC_MAX_VALUE_BYTES = 8 * MIB;

/** Changes that a device reads, sends or merges at once, before it yields the thread: a few milliseconds. */
export const SYNC_FRAME_CHANGES = 450;
export const SYNC_FRAME_BYTES = 256 * KIB;

/** One part of a primary key. */
export const SYNC_MAX_KEY_BYTES = 1 * KIB;

/** Plausible upper bounds of a column version and of a row's deletions and re-creations. */
export const SYNC_MAX_COLUMN_VERSION = 2 ** 40;
export const SYNC_MAX_CAUSAL_LENGTH = 2 ** 31;

/** SQLite parses JSON up to this depth. */
export const SYNC_MAX_JSON_DEPTH = 1000;

/** A control message between devices, such as a greeting or a progress report. */
export const SYNC_MAX_CONTROL_BYTES = 64 * KIB;

/** Sent frames that the peer has not confirmed. */
export const SYNC_WINDOW_FRAMES = 8;

/** Local changes are batched this long before they are pushed. */
export const SYNC_PUSH_WINDOW_MS = 20;

/** A peer that does not respond for this long counts as disconnected. */
export const SYNC_ANSWER_MS = 60_000;

/** The last message before a link closes gets this long to arrive. */
export const SYNC_CLOSE_MS = 1000;

/** Minimum interval between progress notifications. A new state is notified immediately. */
export const SYNC_NOTIFY_EVERY_MS = 500;

/** A larger clock difference is shown to the person. */
export const SYNC_MAX_SKEW_MS = 2 * 60_000;

/** Versions with only the peer's own changes before the cursor is advanced past them. */
export const SYNC_EMPTY_ADVANCE = 256;

/** Lineages that a device remembers; an older one needs a full sync. */
export const SYNC_MAX_LINEAGES = 64;
/** One frame of a link: room for several payloads of the maximum size. Senders split larger data. */
export const MAX_FRAME_BYTES = 16 * MIB;

/** A message from a device that is not trusted yet, a hello or a goodbye. */
export const MAX_GREETING_BYTES = 8 * KIB;

/** From the first byte until both devices are authenticated. */
export const LINK_HANDSHAKE_MS = 10_000;

/** How long one address may take before the next one is tried. */
export const LINK_DIAL_MS = 5000;

/** The device that dialled sends pings: under 300 bytes a minute, including IP headers. */
export const LINK_PING_MS = 45_000;

/** After two missed pings the link counts as lost. */
export const LINK_SILENCE_MS = 100_000;

/** When a peer opens a second link, the first one has this long to answer a ping. */
export const LINK_PROBE_MS = 5000;

/** Redialling an unreachable peer: 1 s × 2^n with jitter, up to 5 minutes. */
export const LINK_RETRY_BASE_MS = 1000;
export const LINK_RETRY_MAX_MS = 5 * 60_000;

/** Simultaneous connections. Paired devices are few; the rest are unknown. */
export const MAX_LINK_CONNECTIONS = 64;

/** Addresses stored for one device. */
export const MAX_PEER_ADDRESSES = 8;
export const MAX_ADDRESS_LENGTH = 280;

/** How long an unpaired device is still notified when it connects. */
export const UNPAIRED_NOTICE_MS = 30 * 24 * 60 * 60 * 1000;

/** Lifetime of an invitation and of waiting for a comparison: enough to walk to the other device. */
export const INVITATION_MS = 10 * 60_000;

/** Wrong tokens or failed comparisons before pairing ends, to stop guessing. */
export const MAX_PAIRING_TRIES = 3;

/** Time to compare the six digits and answer. */
export const COMPARISON_MS = 2 * 60_000;

/** With a larger difference, the times of two histories are not comparable. */
export const MAX_CLOCK_DIFFERENCE_MS = 60 * 60_000;

/** Ended invitations that are remembered, so that a late device gets the reason. */
export const MAX_REMEMBERED_INVITATIONS = 32;

/** Devices shown as nearby. */
export const MAX_NEARBY = 50;

/** How long the first discovery waits for responses. */
export const NEARBY_MS = 1500;

/** One file of changes in a shared folder. Larger files mean fewer of them but slower copies. */
export const SYNC_FOLDER_FILE_BYTES = 8 * MIB;

/** The lease of a stage (spec 004). After it expires, its worker counts as dead. */
export const LEASE_MS = 5 * 60_000;

/** Outbox: 1 s × 2^n with jitter, up to 5 minutes. After ten attempts a row is dead and is shown. */
export const OUTBOX_BASE_MS = 1000;
export const OUTBOX_MAX_MS = 5 * 60_000;
export const OUTBOX_MAX_ATTEMPTS = 10;

/** Stages that run at the same time; they mostly wait for the disk. */
export const OUTBOX_WORKERS = 8;

/** The deadline of an input. A week allows for a computer that is switched off for days. */
export const RUN_DEADLINE_MS = 7 * 24 * 60 * 60_000;

/** Inactivity after which an input times out: twice the longest `wakeAt`. */
export const RUN_INACTIVITY_MS = 2 * MAX_WAKE_MS;

/** Reminders of one wait: each comes after twice the time, so a year of them are fewer. */
export const MAX_REMINDERS = 100;

/** How often the finalizer looks for inputs past their deadline. */
export const INPUT_FINALIZER_MS = 5 * 60_000;

/** Rows that one page of a text search scans: about ten milliseconds, during which the thread blocks. */
export const SEARCH_WINDOW = 2500;

/** Steps shown for one input. */
export const MAX_STORY_STEPS = 500;

/** The result of an input. */
export const MAX_COMPLETION_BYTES = 256 * KIB;

/** One artifact that a handler writes or a person attaches: it is sent whole in one call. */
export const MAX_ARTIFACT_BYTES = 1 * MIB;

/** Artifacts of one run of a handler. */
export const MAX_ARTIFACT_WRITES = 20;

/** Artifacts of one input that are listed. */
export const MAX_ARTIFACTS_LISTED = 1000;

/** Any artifact, also a sanitized payload with the list of its redactions. A device accepts no more
 * from another one. */
export const MAX_STORED_ARTIFACT_BYTES = 4 * MIB;

/** Requests for artifacts that wait for one peer. */
export const SYNC_MAX_ARTIFACT_REQUESTS = 8;

/** How long a page waits for an artifact from another device before it is shown without it. */
export const ARTIFACT_WAIT_MS = 3000;

/** Inputs that one run of a producer may register. */
export const MAX_REGISTERED_INPUTS = 1000;

/** Default tolerance of a signature's timestamp, the same as Stripe's. */
export const SIGNATURE_TOLERANCE_S = 300;
/** A longer tolerance would defeat the timestamp. */
export const MAX_SIGNATURE_TOLERANCE_S = 24 * 60 * 60;

/** Rate limit per hook: the burst, then the sustained rate. */
export const HOOK_BURST = 1000;
export const HOOK_RATE_PER_S = 500;
/** Hooks with a rate limiter in memory; more than a person creates. */
export const MAX_RATED_HOOKS = 10_000;

/** A deduplication key: a header or a field, not a document. */
export const MAX_DEDUP_KEY_LENGTH = 512;
/** Parts of a JSON path, and paths of one redaction setting. */
export const MAX_PATH_PARTS = 32;
export const MAX_REDACT_PATHS = 200;

/** Redactions listed for a person; the rest is only counted. */
export const MAX_REDACTED_LISTED = 1000;
/** Length of a key in that list. */
export const MAX_SHOWN_KEY_LENGTH = 64;

/** How long a response is stored for its Idempotency-Key. A later retry runs the call again. */
export const IDEMPOTENCY_KEPT_MS = 48 * 60 * 60 * 1000;
/** Calls with an unknown outcome are stored longer, so that a retry does not repeat them. */
export const IDEMPOTENCY_UNKNOWN_KEPT_MS = 30 * 24 * 60 * 60 * 1000;
export const IDEMPOTENCY_SWEEP_MS = 10 * 60_000;
/** How long the second of two equal requests waits for the first. */
export const IDEMPOTENCY_WAIT_MS = 30_000;
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

/** Metrics of the last hour in memory: one point per ten seconds. */
export const SERIES_STEP_MS = 10_000;
export const SERIES_POINTS = 360;

/** Label combinations of one metric; further ones are counted as "other". */
export const MAX_LABEL_SETS = 500;

/** Queue lengths are counted up to this number. */
export const MAX_QUEUE_COUNTED = 10_000;

/** Spans queued in memory for the collector; the oldest are dropped first. */
export const TRACE_MAX_QUEUED = 4096;
export const TRACE_BATCH = 512;
export const TRACE_FLUSH_MS = 5000;
export const TRACE_TIMEOUT_MS = 10_000;
/** The longest time during which a decision about an effect can be withdrawn. */
export const MAX_GRACE_MS = 15_000;
/** One backup a day, and how many of them are stored by default and at most. */
export const BACKUP_EVERY_MS = 24 * 60 * 60 * 1000;
export const DAILY_BACKUPS_KEPT = 7;
export const MAX_BACKUPS_KEPT = 1000;

/** Delay after a start before the first backup, so that it does not slow down the start. */
export const BACKUP_AFTER_START_MS = 2 * 60_000;

/** Delay before a failed backup is retried. */
export const BACKUP_RETRY_MS = 60 * 60_000;

/** Old history is deleted a few times a day in batches of a few milliseconds. */
export const RETENTION_EVERY_MS = 6 * 60 * 60 * 1000;
export const RETENTION_AFTER_START_MS = 10 * 60_000;
export const RETENTION_BATCH = 50;
/** The preview counts up to this number and then shows "at least". */
export const RETENTION_PREVIEW_MAX = 20_000;
export const MAX_RETENTION_DAYS = 36_500;
/** Days for which raw payloads stay, unless the person chose otherwise. */
export const RAW_PAYLOAD_DAYS = 7;

/** An artifact is written before its row, so a file without a row is deleted only after this time. */
export const ARTIFACT_GRACE_MS = 24 * 60 * 60 * 1000;

/** Database pages returned to the file system at once: 512 KiB in a file with pages of 2 KiB. */
export const RETENTION_PAGES = 256;
