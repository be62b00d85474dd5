// Runs inside QuickJS as source text: it may use only its parameters and the language.
// The functions that a thread calls in the realm. They take and return text.
import type { Calls } from '#main/sandbox/realm/calls.ts';
import type { ContextRequest } from '#main/sandbox/realm/context.ts';
import type { Errors } from '#main/sandbox/realm/errors.ts';
import type { StrictJson } from '#main/sandbox/realm/strict-json.ts';
import type { ClockAndRandom } from '#main/sandbox/realm/time.ts';

interface StartRequest extends ContextRequest {
  readonly values: ContextRequest['values'] & { readonly seed: string };
  readonly entry: { readonly kind: string; readonly name: string; readonly method: string };
  readonly args: readonly unknown[];
}

export const ENTRY_POINTS = [
  'begin',
  'adopt',
  'loaded',
  'start',
  'answer',
  'take',
  'describe',
  'where',
] as const;
export type EntryPoint = (typeof ENTRY_POINTS)[number];

export interface EntryPointParts {
  readonly json: StrictJson;
  readonly time: ClockAndRandom;
  readonly errors: Errors;
  readonly calls: Calls;
  readonly makeContext: (request: ContextRequest) => object;
  readonly describe: (definition: unknown) => unknown;
}

export function makeEntryPoints(
  parts: EntryPointParts,
): Record<EntryPoint, (argument: never) => unknown> {
  const { json, time, errors, calls, describe } = parts;
  const { apply } = Reflect;
  const { hasOwn, getPrototypeOf, prototype: objectPrototype } = Object;
  const { isArray } = Array;
  const NativeError = Error;
  const { then } = Promise.prototype;
  const defineOwn = Object.defineProperty;
  let hasBegun = false;
  let definition: unknown;
  let isLoaded = false;
  let loadFailure = '';
  let returned = '';
  let failed = '';

  /** Called before the file is evaluated. */
  function begin(text: string): void {
    const values = json.parse(text) as { readonly now: number; readonly seed: string };
    time.begin(values.now, values.seed);
    hasBegun = true;
  }

  function start(text: string): void {
    const request = json.parse(text) as StartRequest;
    if (!hasBegun) time.begin(request.values.now, request.values.seed);
    void runEntry(request);
  }

  /** Takes the promise of the evaluated module. */
  function adopt(module: Promise<{ readonly default?: unknown }>): void {
    void apply(then, module, [
      (namespace: { readonly default?: unknown }) => {
        definition = namespace.default;
        isLoaded = true;
      },
      (error: unknown) => {
        loadFailure = errors.describe(error);
      },
    ]);
  }

  /** `f` and JSON of the error; or `pure` if the file used neither clock nor random numbers. A pure
   * file is evaluated once: its clock starts with each phase. */
  function loaded(): string {
    if (loadFailure !== '') return 'f' + loadFailure;
    if (!isLoaded) return 'pending';
    hasBegun = time.wasUsed();
    return hasBegun ? 'impure' : 'pure';
  }

  function findHandler(kind: string, name: string): Record<string, unknown> {
    const group = (definition as Record<string, unknown> | undefined)?.[kind + 's'];
    if (typeof group === 'object' && group !== null && hasOwn(group, name)) {
      return (group as Record<string, Record<string, unknown>>)[name] as Record<string, unknown>;
    }
    throw new Error('This file has no ' + kind + ' "' + name + '".');
  }

  function invoke(request: StartRequest): unknown {
    const { kind, name, method } = request.entry;
    if (kind === 'describe') return describe(definition);
    const handler = findHandler(kind, name);
    const run = handler[method];
    if (typeof run !== 'function') {
      throw new TypeError('The ' + kind + ' "' + name + '" has no function "' + method + '".');
    }
    const list: unknown[] = [];
    defineOwn(list, 0, { value: parts.makeContext(request) });
    for (let index = 0; index < request.args.length; index += 1) {
      defineOwn(list, index + 1, { value: request.args[index] });
    }
    return apply(run, handler, list);
  }

  /** Events are reserved by id: the host has their content, which may be large. */
  function reserveByIds(prepared: unknown): unknown {
    // Objects of a class may define toJSON: leave them as they are.
    if (typeof prepared !== 'object' || prepared === null) return prepared;
    if (getPrototypeOf(prepared) !== objectPrototype) return prepared;
    const given = (prepared as { readonly reservations?: unknown }).reservations;
    if (!isArray(given)) return prepared;
    const reservations: unknown[] = [];
    for (let index = 0; index < given.length; index += 1) {
      const event = given[index] as { readonly id?: unknown } | null | undefined;
      const value = typeof event?.id === 'string' ? event.id : event;
      defineOwn(reservations, index, { value, enumerable: true });
    }
    return { ...prepared, reservations };
  }

  async function runEntry(request: StartRequest): Promise<void> {
    try {
      const { kind, method } = request.entry;
      const what = kind === 'describe' ? 'The workflow' : 'The returned value';
      const value = await invoke(request);
      returned = json.toText(method === 'prepare' ? reserveByIds(value) : value, what);
    } catch (error) {
      failed = errors.describe(error);
    }
  }

  return {
    begin,
    adopt,
    loaded,
    start,
    answer: calls.answer,
    /** A letter, the JSON of the new calls, a line break, and the JSON of the error or value:
     * `f` failed, `c` waits for calls, `r` returned, `w` waits for a promise that never settles. */
    take(): string {
      const isWaiting = calls.isWaiting();
      const made = calls.take();
      if (failed !== '') return 'f' + made + '\n' + failed;
      if (isWaiting) return 'c' + made;
      return returned === '' ? 'w' : 'r' + made + '\n' + returned;
    },
    describe: errors.describe,
    /** The current stack. */
    where: () => '' + new NativeError().stack,
  };
}
