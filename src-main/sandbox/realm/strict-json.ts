// Runs inside QuickJS as source text: it may use only its parameters and the language.
// JSON that rejects the values which JSON.stringify would silently drop or change.

export interface StrictJson {
  /** `what` names the value in error messages. */
  readonly toText: (value: unknown, what: string) => string;
  readonly quote: (text: string) => string;
  readonly parse: (text: string) => unknown;
}

export function makeStrictJson(byteLength: (text: string) => number, maxBytes: number): StrictJson {
  const { stringify, parse } = JSON;
  const { getPrototypeOf, prototype: objectPrototype } = Object;
  const { isArray } = Array;
  const { isFinite: isFiniteNumber } = Number;
  const isView = ArrayBuffer.isView;
  const OPAQUE: readonly (readonly [new (...args: never[]) => object, string])[] = [
    [Promise, 'a promise; await it first'],
    [Map, 'a Map; use Object.fromEntries(map)'],
    [Set, 'a Set; use [...set]'],
    [WeakMap, 'a WeakMap'],
    [WeakSet, 'a WeakSet'],
    [RegExp, 'a RegExp; use its source'],
    [Error, 'an Error; use its message'],
    [ArrayBuffer, 'an ArrayBuffer'],
  ];

  function refuse(key: string, what: string): never {
    throw new TypeError(
      (key === '' ? 'This value' : stringify(key)) +
        " can't be stored as JSON: it is " +
        what +
        '.',
    );
  }

  function check(key: string, value: unknown): unknown {
    const type = typeof value;
    if (type === 'function') refuse(key, 'a function');
    if (type === 'symbol') refuse(key, 'a symbol');
    if (type === 'bigint') refuse(key, 'a BigInt; use String(value) to store its digits as text');
    if (type === 'number' && !isFiniteNumber(value)) refuse(key, '' + (value as number));
    if (type === 'object' && value !== null && !isArray(value)) checkObject(key, value as object);
    return value;
  }

  function checkObject(key: string, value: object): void {
    if (getPrototypeOf(value) === objectPrototype) return;
    for (let index = 0; index < OPAQUE.length; index += 1) {
      const entry = OPAQUE[index];
      if (entry && value instanceof entry[0]) refuse(key, entry[1]);
    }
    if (isView(value)) refuse(key, 'binary data; use Array.from() or text');
  }

  function toText(value: unknown, what: string): string {
    let text: string | undefined;
    try {
      text = stringify(value, check);
    } catch (error) {
      if (error instanceof TypeError && error.message === 'circular reference') {
        throw new TypeError(what + " can't be stored as JSON: it contains itself.", {
          cause: error,
        });
      }
      throw error;
    }
    if (text === undefined) return 'null';
    // A UTF-16 unit has at most three bytes in UTF-8: short texts need no exact count.
    const bytes = text.length > maxBytes / 3 ? byteLength(text) : text.length;
    if (bytes > maxBytes) {
      throw new RangeError(
        what + ' is too large: ' + bytes + ' bytes as JSON, at most ' + maxBytes + ' are allowed.',
      );
    }
    return text;
  }

  return { toText, quote: (text) => stringify(text), parse };
}
