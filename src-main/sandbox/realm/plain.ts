// Runs inside QuickJS, as text: it may use nothing but its parameters and the language.
// Makes JSON text of what leaves, and refuses what JSON would drop or change without a word.

export interface Plain {
  /** `what` names the value in messages. */
  readonly toText: (value: unknown, what: string) => string;
  readonly quote: (text: string) => string;
  readonly parse: (text: string) => unknown;
}

export function makePlain(byteLength: (text: string) => number, maxBytes: number): Plain {
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
      (key === '' ? 'This value' : stringify(key)) + ' cannot be kept as JSON: it is ' + what + '.',
    );
  }

  function check(key: string, value: unknown): unknown {
    const type = typeof value;
    if (type === 'function') refuse(key, 'a function');
    if (type === 'symbol') refuse(key, 'a symbol');
    if (type === 'bigint') refuse(key, 'a BigInt; use a number or a string');
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
        throw new TypeError(what + ' cannot be kept as JSON: it contains itself.', {
          cause: error,
        });
      }
      throw error;
    }
    if (text === undefined) return 'null';
    // A character has up to three bytes: most texts need no counting.
    const bytes = text.length > maxBytes / 3 ? byteLength(text) : text.length;
    if (bytes > maxBytes) {
      throw new RangeError(
        what + ' is too large: ' + bytes + ' bytes as JSON, at most ' + maxBytes + ' are kept.',
      );
    }
    return text;
  }

  return { toText, quote: (text) => stringify(text), parse };
}
