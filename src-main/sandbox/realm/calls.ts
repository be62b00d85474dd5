// Runs inside QuickJS, as text: it may use nothing but its parameters and the language.
// Calls to the host gather here until nothing more can be computed; then they leave together.
import type { Errors } from '#main/sandbox/realm/errors.ts';
import type { Plain } from '#main/sandbox/realm/plain.ts';

export interface Calls {
  /** `call` is JSON. */
  readonly ask: (call: string) => Promise<unknown>;
  /** For a call that needs no answer: the host hears of it, in its order, with what leaves next. */
  readonly tell: (call: string) => void;
  /** Whether more can be told before something has to leave. */
  readonly canTell: () => boolean;
  /** Whether the host was ever asked: what was known before that may be old now. */
  readonly hasAsked: () => boolean;
  /** Whether a call waits for its answer. */
  readonly isWaiting: () => boolean;
  readonly answer: (replies: string) => void;
  /** JSON of the calls made since the last time, '' when there are none. */
  readonly take: () => string;
}

type Reply =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'error'; readonly message: string; readonly errorType: string };

export function makeCalls(
  plain: Plain,
  errors: Errors,
  maxOpen: number,
  maxToldChars: number,
): Calls {
  interface Waiting {
    readonly resolve: (value: unknown) => void;
    readonly reject: (error: Error) => void;
    /** Made when the call was made: its stack says where. */
    readonly error: Error;
  }
  const NativePromise = Promise;
  const NativeError = Error;
  const { defineProperty } = Reflect;
  // Without a prototype no one can have put a setter in the way.
  const waiting = Object.create(null) as Record<number, Waiting>;
  let first = 1;
  let next = 1;
  let outbox = '';

  function ask(call: string): Promise<unknown> {
    if (next - first >= maxOpen) {
      throw new RangeError(
        'More than ' + maxOpen + ' calls wait at once: await some of them first.',
      );
    }
    const error = new NativeError();
    return new NativePromise((resolve, reject) => {
      waiting[next] = { resolve, reject, error };
      next += 1;
      tell(call);
    });
  }

  function tell(call: string): void {
    outbox += (outbox === '' ? '' : ',') + call;
  }

  /** The host answers all calls that left together and wait, in their order. */
  function answer(replies: string): void {
    const list = plain.parse(replies) as readonly Reply[];
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
    const calls = outbox === '' ? '' : '[' + outbox + ']';
    outbox = '';
    return calls;
  }

  return {
    ask,
    tell,
    canTell: () => outbox.length < maxToldChars,
    hasAsked: () => next > 1,
    isWaiting: () => first < next,
    answer,
    take,
  };
}
