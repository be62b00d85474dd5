// Limits of the sandbox. Values that cross the boundary follow `#shared/limits.ts`.
import { MAX_INPUT_DEPTH, MAX_PAYLOAD_BYTES } from '#shared/limits.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** One value that leaves the sandbox: an event, a result, the params of a call. */
export const MAX_VALUE_BYTES = MAX_PAYLOAD_BYTES;

export const MAX_VALUE_DEPTH = MAX_INPUT_DEPTH;

/** One message into the sandbox: a peek may bring several full events. */
export const MAX_INBOUND_BYTES = 16 * MIB;

/** Calls that wait for the host at the same time; stops a loop that forgot `await`. */
export const MAX_OPEN_CALLS = 1000;

/** Calls without an answer that a phase may collect before it must hand them to the host. */
export const MAX_DEFERRED_CHARS = 64 * KIB;

/** Events in one peek without a limit; an explicit limit is at most `MAX_PEEK`. */
export const DEFAULT_PEEK = 100;

/** Console output is stored with the run and synced: enough to understand it, not to flood it. */
export const MAX_LOG_LINES = 200;
export const MAX_LOG_BYTES = 64 * KIB;
export const MAX_LOG_LINE_CHARS = 8 * KIB;

export const MAX_MESSAGE_CHARS = 4 * KIB;
export const MAX_STACK_CHARS = 8 * KIB;

/** Stack of QuickJS. The thread's own stack must be larger than what QuickJS counts. */
export const STACK_BYTES = 256 * KIB;

/** For the thread's own JavaScript, which holds little more than texts in transit. */
export const THREAD_LIMITS = {
  stackSizeMb: 16,
  maxYoungGenerationSizeMb: 8,
  maxOldGenerationSizeMb: 512,
} as const;

/** Free heap of a new VM. A phase that needs more grows the memory, and the VM is discarded. */
export const HEAP_HEADROOM_BYTES = 512 * KIB;

/** VMs of one thread. Further phases that wait for the host are suspended to memory images. */
export const MAX_VMS = 8;

/** Cached images of evaluated scripts in one thread, about 400 KiB each. */
export const SCRIPT_CACHE_BYTES = 32 * MIB;

/** Computing at a stretch in a thread that others use. Code that needs longer starts over in a thread
 * of its own. */
export const SHARED_STRETCH_MS = 40;

/** Without a heartbeat for this long, the other phases of a thread leave it. Longer than a thread
 * waits for a core on a busy machine. */
export const STUCK_AFTER_MS = 500;

/** Threads for code that computes for long. They start when needed and end when idle. */
export const MAX_OWN_THREADS = 4;
export const OWN_THREAD_IDLE_MS = 10_000;

/** How long code that computed for long goes straight to a thread of its own. */
export const LONG_CODE_MS = 10 * 60_000;
export const MAX_LONG_CODES = 256;

/** The journal of a phase, with which it can start over: replies of the host, and clock readings between
 * two calls. A phase with more is not moved. */
export const MAX_JOURNAL_CHARS = 8 * MIB;
export const MAX_CLOCK_READINGS = 1000;

/** A thread without a heartbeat for this long hangs and is terminated. Long, because on a busy
 * machine an uninterruptible second of QuickJS may take ten. */
export const HANG_GRACE_MS = 10_000;
