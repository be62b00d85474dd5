// Runs inside QuickJS as source text: it may use only its parameters and the language.
// Collects calls to the host until the code can compute nothing more; then they leave together.
import type { Errors } from '#main/sandbox/realm/errors.ts';
import type { StrictJson } from '#main/sandbox/realm/strict-json.ts';

export interface Calls {
  /** `call` is JSON. */
  readonly ask: (call: string) => Promise<unknown>;
  /** For a call that needs no answer: it leaves with the next calls, in order. */
  readonly defer: (call: string) => void;
  /** False when the collected calls must leave first. */
  readonly canDefer: () => boolean;
  /** Whether the host was asked before: prefetched answers may be outdated then. */
  readonly hasAsked: () => boolean;
  /** Whether a call waits for an answer. */
  readonly isWaiting: () => boolean;
  readonly answer: (replies: string) => void;
  /** JSON of the calls since the last `take`, '' if there are none. */
  readonly take: () => string;
}

type Reply =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'error'; readonly message: string; readonly errorType: string };

export function makeCalls(
  json: StrictJson,
  errors: Errors,
  maxOpen: number,
  maxDeferredChars: number,
): Calls {
  interface Waiting {
    readonly resolve: (value: unknown) => void;
    readonly reject: (error: Error) => void;
    /** Created with the call, so that its stack points to the call. */
    readonly error: Error;
  }
  const NativePromise = Promise;
  const NativeError = Error;
  const { defineProperty } = Reflect;
  // Without a prototype, user code cannot install a setter for an index.
  const waiting = Object.create(null) as Record<number, Waiting>;
  let first = 1;
  let next = 1;
  let collected = '';

  function ask(call: string): Promise<unknown> {
    if (next - first >= maxOpen) {
      throw new RangeError(
        'More than ' + maxOpen + ' calls wait at the same time: await some of them first.',
      );
    }
    const error = new NativeError();
    return new NativePromise((resolve, reject) => {
      waiting[next] = { resolve, reject, error };
      next += 1;
      defer(call);
    });
  }

  function defer(call: string): void {
    collected += (collected === '' ? '' : ',') + call;
  }

  /** The replies are in the order of the calls that left together and wait. */
  function answer(replies: string): void {
    const list = json.parse(replies) as readonly Reply[];
    for (let index = 0; index < list.length; index += 1) {
      const { resolve, reject, error } = waiting[first] as Waiting;
      delete waiting[first];
      first += 1;
      const reply = list[index] as Reply;
      if (reply.type === 'value') resolve(reply.value);
      else {
        defineProperty(error, 'message', {
          value: reply.message,
          configurable: true,
          writable: true,
        });
        errors.mark(error, reply.errorType);
        reject(error);
      }
    }
  }

  function take(): string {
    const calls = collected === '' ? '' : '[' + collected + ']';
    collected = '';
    return calls;
  }

  return {
    ask,
    defer,
    canDefer: () => collected.length < maxDeferredChars,
    hasAsked: () => next > 1,
    isWaiting: () => first < next,
    answer,
    take,
  };
}
