// Runs inside QuickJS as source text: it may use only its parameters and the language.
// Describes thrown values without trusting them: getters may throw, a message may not be a string.
import type { StrictJson } from '#main/sandbox/realm/strict-json.ts';

export interface Errors {
  /** JSON of `{ name, message, stack, errorType }`. */
  readonly describe: (thrown: unknown) => string;
  /** Marks an error as one from the host, with the host's error type. */
  readonly mark: (error: Error, errorType: string) => void;
}

export function makeErrors(json: StrictJson, maxChars: number): Errors {
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
      const isText = typeof thrown === 'string';
      if (isText || typeof thrown === 'object') return cut(stringify(thrown) ?? 'an object');
      return cut(toText(thrown));
    } catch {
      return 'an unprintable value';
    }
  }

  function describe(thrown: unknown): string {
    const isReal = isError(thrown);
    const name = isReal ? read(thrown, 'name') : '';
    const message = isReal
      ? read(thrown, 'message')
      : 'The code threw ' + show(thrown) + '. Throw an Error instead to see the line here.';
    const stack = isReal ? read(thrown, 'stack') : '';
    const errorType = isReal ? (apply(get, types, [thrown]) as string | undefined) : undefined;
    return (
      '{"name":' +
      json.quote(name) +
      ',"message":' +
      json.quote(message) +
      ',"stack":' +
      json.quote(stack) +
      (errorType === undefined ? '' : ',"errorType":' + json.quote(errorType)) +
      '}'
    );
  }

  function mark(error: Error, errorType: string): void {
    apply(set, types, [error, errorType]);
    defineProperty(error, 'errorType', { value: errorType, enumerable: true, configurable: true });
  }

  return { describe, mark };
}
