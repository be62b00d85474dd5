// What host and thread say to each other. Values travel as JSON text: one copy, and the thread
// never has to understand them.
import type { LogLine, PhaseLimits } from '#main/sandbox/sandbox.ts';

/** A phase to begin. */
export type RunMessage = Extract<ToThread, { type: 'run' }>;

export type ToThread =
  | {
      readonly type: 'run';
      readonly id: number;
      readonly code: string;
      readonly fileName: string;
      readonly limits: PhaseLimits;
      /** Of its `values`: what a file that is evaluated begins with. */
      readonly now: number;
      readonly seed: string;
      /** JSON of `{ entry, args, tools, values, given }`, the tools as JSON in a text. */
      readonly request: string;
      readonly callsEndIt: boolean;
    }
  /** JSON of the replies, in the order of the calls. */
  | { readonly type: 'replies'; readonly id: number; readonly replies: string }
  /** The phase is over for the host: nothing of it may run again. No answer. */
  | { readonly type: 'drop'; readonly id: number };

export interface Failure {
  readonly cause: 'thrown' | 'limit' | 'sandbox';
  readonly message: string;
  readonly stack: string;
  readonly errorType?: string;
}

export type FromThread =
  /** JSON of the calls. `logs` are those since the last message. */
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
      /** JSON of the calls that wait for no answer and have not been told yet; '' for none. */
      readonly told: string;
      readonly logs: LogLine[];
    }
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly failure: Failure;
      /** As above; among them may be calls that wait, which are void. Null: it could not say. */
      readonly told: string | null;
      readonly logs: LogLine[];
    };

export interface ThreadData {
  readonly wasm: WebAssembly.Module;
  readonly stackPointer: number;
  /** Which phase computes at the moment (0: none), and a count that moves while the thread is alive. */
  readonly pulse: SharedArrayBuffer;
}

export const PULSE_PHASE = 0;
export const PULSE_BEAT = 1;
