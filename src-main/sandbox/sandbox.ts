// What the engine asks of a sandbox. User code runs one phase at a time in a context of its own;
// all it can do is compute and call the host, and the host decides.
import type { Json } from '#shared/json.ts';

export type Entry =
  /** Evaluates the module and returns its graph: names, topics, schedules, which functions exist. */
  | { readonly kind: 'describe' }
  | { readonly kind: 'producer'; readonly name: string; readonly method: 'run' }
  | {
      readonly kind: 'consumer';
      readonly name: string;
      readonly method: 'prepare' | 'mutate' | 'next';
    };

export interface PhaseLimits {
  /** Of the heap; at least half a MiB, at most `MAX_MEMORY_BYTES`. */
  readonly memoryBytes: number;
  /** Time spent computing in the sandbox, without waiting for the host. */
  readonly cpuMs: number;
  /** From the first message to the end, waiting included. A host call may still be under way when
   * it is over: its answer is then ignored. */
  readonly wallMs: number;
}

export interface PhaseRequest {
  /** JavaScript: types are stripped already, positions kept. */
  readonly code: string;
  /** For stack traces: the name of the person's file. */
  readonly fileName: string;
  readonly entry: Entry;
  /** After `ctx`: state; prepared; prepared and outcome. */
  readonly args: readonly Json[];
  /** Tool namespaces and their methods that exist for this workflow: `ctx.tools.http.get` … */
  readonly tools: { readonly [namespace: string]: readonly string[] };
  /** Plain values on `ctx`, e.g. `now`, `runId`. `Date.now()` and `Math.random()` follow from them. */
  readonly values: { readonly now: number; readonly seed: string; readonly runId: string };
  readonly limits: PhaseLimits;
}

/** What user code asks of the host. Calls made in one go arrive together, in order. */
export type HostCall =
  | {
      readonly op: 'tool';
      readonly namespace: string;
      readonly method: string;
      readonly params: Json;
    }
  | { readonly op: 'peek'; readonly topic: string; readonly limit: number }
  | { readonly op: 'publish'; readonly topic: string; readonly event: Json }
  | { readonly op: 'complete'; readonly result: Json }
  | { readonly op: 'registerInput'; readonly input: Json };

export type HostReply =
  | { readonly type: 'value'; readonly value: Json }
  /** Thrown in user code as an Error with these fields; it may catch it. */
  | { readonly type: 'error'; readonly message: string; readonly errorType: string }
  /** The phase ends here; user code never runs again. The host takes over. */
  | { readonly type: 'stop' };

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly at: number;
  readonly text: string;
}

export type PhaseResult =
  | { readonly type: 'returned'; readonly value: Json; readonly logs: readonly LogLine[] }
  /** A host call answered `stop`. */
  | { readonly type: 'stopped'; readonly logs: readonly LogLine[] }
  | {
      readonly type: 'failed';
      /** `thrown`: by user code; `limit`: memory, CPU or wall time; `sandbox`: ours, not theirs. */
      readonly cause: 'thrown' | 'limit' | 'sandbox';
      readonly message: string;
      /** With file, line and column of the person's own file. */
      readonly stack: string;
      /** Of an error that came from the host and was not caught. */
      readonly errorType?: string;
      readonly logs: readonly LogLine[];
    };

export interface Sandbox {
  /** `onCalls` answers one reply for each call. It is never asked again after a `stop`. */
  run(
    request: PhaseRequest,
    onCalls: (calls: readonly HostCall[]) => Promise<readonly HostReply[]>,
  ): Promise<PhaseResult>;
  close(): Promise<void>;
}
