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
      /** JSON of `{ entry, args, tools, values, given }`; `tools` is JSON in a string. */
      readonly request: string;
      readonly isEndedByCalls: boolean;
    }
  /** JSON of the replies, in the order of the calls. */
  | { readonly type: 'replies'; readonly id: number; readonly replies: string }
  /** The host has ended the phase: none of its code may run again. No answer. */
  | { readonly type: 'drop'; readonly id: number };

export interface Failure {
  readonly cause: 'thrown' | 'limit' | 'sandbox';
  readonly message: string;
  readonly stack: string;
  readonly errorType?: string;
}

export type FromThread =
  /** JSON of the calls. `logs` holds the lines since the last message. */
  | {
      readonly type: 'calls';
      readonly id: number;
      readonly calls: string;
      readonly logs: LogLine[];
    }
  | {
      readonly type: 'returned';
      readonly id: number;
      readonly value: string;
      /** JSON of the calls that wait for no answer and were not reported yet; '' for none. */
      readonly told: string;
      readonly logs: LogLine[];
    }
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly failure: Failure;
      /** As above. Calls in it that wait for an answer are void. Null: the calls are unknown. */
      readonly told: string | null;
      readonly logs: LogLine[];
    };

export interface ThreadData {
  readonly wasm: WebAssembly.Module;
  readonly memoryBytes: number;
  /** Two 32-bit integers: the id of the phase that computes now (0: none), and a counter that
   * increases while the thread makes progress. */
  readonly heartbeat: SharedArrayBuffer;
}

export const HEARTBEAT_PHASE = 0;
export const HEARTBEAT_COUNT = 1;
