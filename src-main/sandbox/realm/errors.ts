// Runs inside QuickJS, as text: it may use nothing but its parameters and the language.
// Describes whatever was thrown, without trusting it: getters may throw, a message may be no text.
import type { Plain } from '#main/sandbox/realm/plain.ts';

export interface Errors {
  /** JSON of `{ name, message, stack, errorType }`. */
  readonly describe: (thrown: unknown) => string;
  /** Marks an error as one of the host, with the type that the host gave. */
  readonly mark: (error: Error, errorType: string) => void;
}

export function makeErrors(plain: Plain, maxChars: number): Errors {
  const NativeError = Error;
  const { apply, defineProperty } = Reflect;
  const { slice } = String.prototype;
  const { stringify } = JSON;
  const toText = String;
  const types = new WeakMap<object, string>();
  const { get, set } = WeakMap.prototype;

  function read(thrown: object, key: string): string {
    try {
      const value = (thrown as Record<string, unknown>)[key];
      return value === undefined ? '' : cut(toText(value));
    } catch {
      return '';
    }
  }

  const cut = (text: string): string =>
    text.length > maxChars ? apply(slice, text, [0, maxChars]) + ' …' : text;

  function isError(thrown: unknown): thrown is Error {
    try {
      return thrown instanceof NativeError;
    } catch {
      return false;
    }
  }

  function show(thrown: unknown): string {
    try {
      return cut(typeof thrown === 'object' ? (stringify(thrown) ?? '') : toText(thrown));
    } catch {
      return 'a value that cannot be shown';
    }
  }

  function describe(thrown: unknown): string {
    const isReal = isError(thrown);
    const name = isReal ? read(thrown, 'name') : '';
    const message = isReal
      ? read(thrown, 'message')
      : 'The code threw something that is not an Error: ' + show(thrown);
    const stack = isReal ? read(thrown, 'stack') : '';
    const errorType = isReal ? (apply(get, types, [thrown]) as string | undefined) : undefined;
    return (
      '{"name":' +
      plain.quote(name) +
      ',"message":' +
      plain.quote(message) +
      ',"stack":' +
      plain.quote(stack) +
      (errorType === undefined ? '' : ',"errorType":' + plain.quote(errorType)) +
      '}'
    );
  }

  function mark(error: Error, errorType: string): void {
    apply(set, types, [error, errorType]);
    defineProperty(error, 'errorType', { value: errorType, enumerable: true, configurable: true });
  }

  return { describe, mark };
}
