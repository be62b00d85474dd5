// Messages between the host and a sandbox thread. Values travel as JSON text: one copy, and the
// thread does not parse them.
import type { LogLine, PhaseLimits } from '#main/sandbox/sandbox.ts';

export type RunMessage = Extract<ToThread, { type: 'run' }>;

export type ToThread =
  | {
      readonly type: 'run';
      readonly id: number;
      readonly code: string;
      readonly fileName: string;
      readonly limits: PhaseLimits;
      /** From `values`; needed before the file is evaluated. */
      readonly now: number;
      readonly seed: string;
      /** JSON of `{ entry, args, tools, values, prefetched }`; `tools` is JSON in a string. */
      readonly request: string;
      readonly endsWithCalls: boolean;
      /** Milliseconds that the phase has run in another thread, before it started over here. */
      readonly elapsedBefore: number;
      /** Clock readings in the first thread, in milliseconds since the start, replayed in this one. */
      readonly clockReadings: readonly number[];
    }
  /** JSON of the replies, in the order of the calls. `canMove`: the phase can start over in another
   * thread. */
  | {
      readonly type: 'replies';
      readonly id: number;
      readonly replies: string;
      readonly canMove: boolean;
    }
  /** The host has ended the phase: none of its code may run again. No answer. */
  | { readonly type: 'drop'; readonly id: number };

export interface Failure {
  readonly cause: 'thrown' | 'limit' | 'sandbox';
  readonly message: string;
  readonly stack: string;
  readonly errorType?: string;
}

export type FromThread =
  /** JSON of the calls. `logs` holds the lines since the last message, `clockReadings` the readings;
   * null if there were too many. */
  | {
      readonly type: 'calls';
      readonly id: number;
      readonly calls: string;
      readonly clockReadings: readonly number[] | null;
      readonly logs: LogLine[];
    }
  /** The phase computed for too long in a shared thread: it has ended here and must start over. */
  | { readonly type: 'interrupted'; readonly id: number }
  | {
      readonly type: 'returned';
      readonly id: number;
      readonly value: string;
      /** JSON of the calls that wait for no answer and were not reported yet; '' for none. */
      readonly deferred: string;
      readonly logs: LogLine[];
    }
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly failure: Failure;
      /** As above. Calls in it that wait for an answer are void. Null: the calls are unknown. */
      readonly deferred: string | null;
      readonly logs: LogLine[];
    };

export interface ThreadData {
  readonly wasm: WebAssembly.Module;
  readonly memoryBytes: number;
  /** 32-bit integers: the id of the phase that computes now (0: none), a counter that increases
   * while the thread makes progress, and 1 for a thread for code that computes for long. */
  readonly heartbeat: SharedArrayBuffer;
}

export const HEARTBEAT_PHASE = 0;
export const HEARTBEAT_COUNT = 1;
export const HEARTBEAT_IS_OWN = 2;
