// Limits of the sandbox, each with its reason. What crosses the boundary keeps to those of
// `#shared/limits.ts`.
import { MAX_INPUT_DEPTH, MAX_PAYLOAD_BYTES } from '#shared/limits.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** One value that leaves the sandbox: an event, a result, the params of a call. */
export const MAX_VALUE_BYTES = MAX_PAYLOAD_BYTES;

export const MAX_VALUE_DEPTH = MAX_INPUT_DEPTH;

/** What enters in one message: a peek may bring several full events. Memory limits it anyway. */
export const MAX_INBOUND_BYTES = 16 * MIB;

/** Calls that wait for the host at one time; a loop that forgot `await` ends here. */
export const MAX_OPEN_CALLS = 1000;

/** What a phase may tell before it has to hand it over: a long row of large events goes in pieces. */
export const MAX_TOLD_CHARS = 64 * KIB;

/** Events in one peek where the code does not say; `MAX_PEEK` where it says more. */
export const DEFAULT_PEEK = 100;

/** Console output is kept with the run and synced: enough to understand, not to flood. */
export const MAX_LOG_LINES = 200;
export const MAX_LOG_BYTES = 64 * KIB;
export const MAX_LOG_LINE_CHARS = 8 * KIB;

export const MAX_MESSAGE_CHARS = 4 * KIB;
export const MAX_STACK_CHARS = 8 * KIB;

/** QuickJS counts its own stack; the thread's real one must be larger for what it counts. */
export const STACK_BYTES = 256 * KIB;

/** Of a thread's own JavaScript, which holds texts on their way and little else. */
export const THREAD_LIMITS = {
  stackSizeMb: 16,
  maxYoungGenerationSizeMb: 8,
  maxOldGenerationSizeMb: 512,
} as const;

/** No phase gets more than this, whatever was asked for: a thread must not eat the machine. */
export const MAX_MEMORY_BYTES = 256 * MIB;

/** Free heap of a fresh machine. A phase that needs more makes it grow, and it is thrown away. */
export const HEAP_HEADROOM_BYTES = 512 * KIB;

/** Machines of one thread. Further phases that wait for the host are put aside as memory images. */
export const MAX_MACHINES = 8;

/** Images of evaluated scripts that a thread keeps, about 100 KiB each. */
export const IMAGE_CACHE_BYTES = 16 * MIB;

/** A thread that computes this long without a sign of life hangs, and is ended. Long, because on a
 * busy machine what takes QuickJS a second may take ten. */
export const HANG_GRACE_MS = 10_000;
