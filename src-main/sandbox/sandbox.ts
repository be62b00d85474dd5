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
  readonly given?: Given;
  /** The host answers its first calls with `stop`, whatever they are: the thread need not wait. */
  readonly callsEndIt?: boolean;
}

/** What the host knows that the code will ask: a call that this answers does not wait for the host,
 * which is only told of it. */
export interface Given {
  /** The oldest events of a topic, for the first peek, while nothing else was asked. */
  readonly peek?: {
    readonly topic: string;
    readonly events: readonly Json[];
    /** There are no others. */
    readonly isAll: boolean;
  };
  /** Topics to which the handler may publish. */
  readonly publishes?: readonly string[];
}

/** What user code asks of the host. Calls made in one go arrive together, in order. */
export type HostCall =
  | {
      readonly op: 'tool';
      readonly namespace: string;
      readonly method: string;
      readonly params: Json;
    }
  | { readonly op: 'peek'; readonly topic: string; readonly limit: number; readonly told?: true }
  | { readonly op: 'publish'; readonly topic: string; readonly event: Json; readonly told?: true }
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
      /** It may have made calls that `given` answered and that the host was not told of. */
      readonly isSilent?: true;
      readonly logs: readonly LogLine[];
    };

/** One reply for each call. It is never asked again after a `stop`. */
export type OnCalls = (calls: readonly HostCall[]) => Promise<readonly HostReply[]>;

export interface Sandbox {
  run(request: PhaseRequest, onCalls: OnCalls): Promise<PhaseResult>;
  close(): Promise<void>;
}
