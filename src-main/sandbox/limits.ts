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

/** A thread without a heartbeat for this long hangs and is terminated. Long, because on a busy
 * machine an uninterruptible second of QuickJS may take ten. */
export const HANG_GRACE_MS = 10_000;
