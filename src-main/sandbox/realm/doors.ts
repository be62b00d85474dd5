// Runs inside QuickJS, as text: it may use nothing but its parameters and the language.
// The functions by which a thread works the realm. Each takes and gives text.
import type { Calls } from '#main/sandbox/realm/calls.ts';
import type { ContextRequest } from '#main/sandbox/realm/context.ts';
import type { Errors } from '#main/sandbox/realm/errors.ts';
import type { Plain } from '#main/sandbox/realm/plain.ts';
import type { Chance } from '#main/sandbox/realm/time.ts';

interface StartRequest extends ContextRequest {
  readonly values: ContextRequest['values'] & { readonly seed: string };
  readonly entry: { readonly kind: string; readonly name: string; readonly method: string };
  readonly args: readonly unknown[];
}

export interface DoorParts {
  readonly plain: Plain;
  readonly chance: Chance;
  readonly errors: Errors;
  readonly calls: Calls;
  readonly makeContext: (request: ContextRequest) => object;
  readonly describe: (definition: unknown) => unknown;
}

export function makeDoors(parts: DoorParts): object {
  const { plain, chance, errors, calls, describe } = parts;
  const { apply } = Reflect;
  const { hasOwn, getPrototypeOf, prototype: objectPrototype } = Object;
  const { isArray } = Array;
  const NativeError = Error;
  const defineOwn = Object.defineProperty;
  let hasBegun = false;
  let definition: unknown;
  let returned = '';
  let failed = '';

  /** Before a file is evaluated. */
  function begin(text: string): void {
    const values = plain.parse(text) as { readonly now: number; readonly seed: string };
    chance.begin(values.now, values.seed);
    hasBegun = true;
  }

  /** After that: whether it made use of time or chance. If not, it might as well begin later. */
  function settle(): boolean {
    hasBegun = chance.wasUsed();
    return hasBegun;
  }

  function start(text: string): void {
    const request = plain.parse(text) as StartRequest;
    if (!hasBegun) chance.begin(request.values.now, request.values.seed);
    void follow(request);
  }

  /** Takes the module as it was evaluated. */
  function adopt(module: object): void {
    definition = (module as { readonly default?: unknown }).default;
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

  /** Events are reserved by their ids: what they hold the host has, and it may be large. */
  function byIds(prepared: unknown): unknown {
    // Whatever is no plain object may have a say in how it is written (toJSON): it keeps it.
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

  async function follow(request: StartRequest): Promise<void> {
    try {
      const { kind, method } = request.entry;
      const what = kind === 'describe' ? 'The workflow' : 'What was returned';
      const value = await invoke(request);
      returned = plain.toText(method === 'prepare' ? byIds(value) : value, what);
    } catch (error) {
      failed = errors.describe(error);
    }
  }

  return {
    begin,
    adopt,
    settle,
    start,
    answer: calls.answer,
    /** One letter that says what came of it, then two lines of JSON: the calls that were made, and
     * what was thrown or returned; or nothing of the kind, and nothing that could still happen. */
    take(): string {
      const isWaiting = calls.isWaiting();
      const made = calls.take();
      if (failed !== '') return 'f' + made + '\n' + failed;
      if (isWaiting) return 'c' + made;
      return returned === '' ? 'w' : 'r' + made + '\n' + returned;
    },
    describe: errors.describe,
    where: () => '' + new NativeError().stack,
  };
}
