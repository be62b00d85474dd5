// The interface of the sandbox. Each phase of user code runs in a fresh context: it can compute and
// call the host, nothing else.
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
  /** Time spent computing in the sandbox, without waiting for the host. */
  readonly cpuMs: number;
  /** From the first message to the end, waiting included. The answer to a host call that is still
   * in progress then is ignored. */
  readonly wallMs: number;
}

export interface PhaseRequest {
  /** JavaScript, with types stripped and positions unchanged. */
  readonly code: string;
  /** Name of the author's file, for stack traces. */
  readonly fileName: string;
  readonly entry: Entry;
  /** After `ctx`: state; prepared; prepared and outcome. */
  readonly args: readonly Json[];
  /** Tool namespaces and their methods that exist for this workflow: `ctx.tools.http.get` … */
  readonly tools: { readonly [namespace: string]: readonly string[] };
  /** Plain values on `ctx`, e.g. `now`, `runId`. `Date.now()` and `Math.random()` follow from them. */
  readonly values: { readonly now: number; readonly seed: string; readonly runId: string };
  readonly limits: PhaseLimits;
  readonly prefetched?: Prefetched;
  /** The host answers the first calls with `stop`: the thread does not wait for it. */
  readonly endsWithCalls?: boolean;
}

/** Answers that the host sends in advance. A call that these answer does not wait for the host; the
 * host learns of it later and checks it. */
export interface Prefetched {
  /** The oldest events of a topic, for the first peek, if no other call came before it. */
  readonly peek?: {
    readonly topic: string;
    readonly events: readonly Json[];
    /** The topic has no other events. */
    readonly isAll: boolean;
  };
  /** Topics that the handler may publish to. */
  readonly publishes?: readonly string[];
}

/** A call from user code. Calls that are made before the code waits arrive together, in order.
 * `deferred`: the call was answered from `prefetched`. */
export type HostCall =
  | {
      readonly op: 'tool';
      readonly namespace: string;
      readonly method: string;
      readonly params: Json;
    }
  | {
      readonly op: 'peek';
      readonly topic: string;
      readonly limit: number;
      readonly deferred?: true;
    }
  | {
      readonly op: 'publish';
      readonly topic: string;
      readonly event: Json;
      readonly deferred?: true;
    }
  | { readonly op: 'complete'; readonly result: Json }
  | { readonly op: 'registerInput'; readonly input: Json }
  | { readonly op: 'artifacts.list'; readonly event: string }
  | { readonly op: 'artifacts.read'; readonly event: string; readonly name: string }
  | { readonly op: 'artifacts.write'; readonly artifact: Json };

export type HostReply =
  | { readonly type: 'value'; readonly value: Json }
  /** Thrown in user code as an Error with these fields; the code can catch it. */
  | { readonly type: 'error'; readonly message: string; readonly errorType: string }
  /** The phase ends here: its code never runs again. */
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
      /** `thrown`: by user code; `limit`: memory, CPU or wall time; `sandbox`: by Holdfast itself. */
      readonly cause: 'thrown' | 'limit' | 'sandbox';
      readonly message: string;
      /** With file, line and column in the author's file. */
      readonly stack: string;
      /** Type of an uncaught error that came from the host. */
      readonly errorType?: string;
      /** The code may have used `prefetched` in calls that the host does not know of. */
      readonly mayHaveUsedPrefetch?: true;
      readonly logs: readonly LogLine[];
    };

/** Returns one reply for each call. Not called again after a `stop`. */
export type OnCalls = (calls: readonly HostCall[]) => Promise<readonly HostReply[]>;

export interface Sandbox {
  run(request: PhaseRequest, onCalls: OnCalls): Promise<PhaseResult>;
  close(): Promise<void>;
}
