// Runs inside QuickJS as source text: it may use only its parameters and the language.
// `ctx`, the only object that reaches the host.
import type { Calls } from '#main/sandbox/realm/calls.ts';
import type { StrictJson } from '#main/sandbox/realm/strict-json.ts';
import type { Prefetched } from '#main/sandbox/sandbox.ts';

export interface ContextRequest {
  readonly values: { readonly now: number; readonly runId: string };
  /** JSON of namespaces and their methods, parsed when code first uses a tool. */
  readonly tools: string;
  readonly prefetched: Prefetched;
}

export function makeContext(
  json: StrictJson,
  calls: Calls,
  peek: { readonly byDefault: number; readonly most: number },
  publishes: { readonly idChars: number; readonly titleChars: number; readonly most: number },
): (request: ContextRequest) => object {
  const { create, freeze, keys } = Object;
  const { isInteger } = Number;
  const { toText, quote } = json;
  const NativeProxy = Proxy;
  const NativePromise = Promise;

  function needText(value: unknown, what: string): string {
    if (typeof value === 'string' && value !== '') return quote(value);
    throw new TypeError(what + ' must be a non-empty string.');
  }

  function needObject(value: unknown, what: string): object {
    if (typeof value === 'object' && value !== null) return value;
    throw new TypeError(what + ' must be an object.');
  }

  function list(names: readonly string[]): string {
    let text = '';
    for (let index = 0; index < names.length; index += 1)
      text += (index ? ', ' : '') + names[index];
    return text === '' ? 'none' : text;
  }

  let granted: string | { readonly [namespace: string]: readonly string[] } = {};

  function grants(): { readonly [namespace: string]: readonly string[] } {
    if (typeof granted === 'string')
      granted = json.parse(granted) as Exclude<typeof granted, string>;
    return granted;
  }

  /** An object whose members are created on first use; an unknown name throws. */
  function lazily(
    namesOf: () => readonly string[],
    make: (name: string) => unknown,
    missing: string,
  ): object {
    const has = (name: string): boolean => {
      const names = namesOf();
      for (let index = 0; index < names.length; index += 1) if (names[index] === name) return true;
      return false;
    };
    const made = create(null) as Record<string, unknown>;
    return new NativeProxy(made, {
      get(target, name) {
        if (typeof name === 'symbol' || name === 'then' || name === 'toJSON') return undefined;
        if (!has(name)) {
          throw new TypeError(missing + ' "' + name + '". Available: ' + list(namesOf()) + '.');
        }
        return (target[name] ??= make(name));
      },
      has: (_target, name) => typeof name === 'string' && has(name),
      set: () => false,
      defineProperty: () => false,
      deleteProperty: () => false,
      setPrototypeOf: () => false,
    });
  }

  // Part of the base image, so that no phase has to create it.
  const tools = lazily(
    () => keys(grants()),
    (namespace) =>
      lazily(
        () => grants()[namespace] as readonly string[],
        (method) => makeMethod(namespace, method),
        'The tool "' + namespace + '" has no method',
      ),
    'This workflow was not granted the tool',
  );

  const makeMethod = (namespace: string, method: string) => (params: unknown) =>
    calls.ask(
      '{"op":"tool","namespace":' +
        quote(namespace) +
        ',"method":' +
        quote(method) +
        ',"params":' +
        toText(params ?? {}, 'The argument of ' + namespace + '.' + method) +
        '}',
    );

  function peekAt(topic: unknown, options?: { readonly limit?: unknown }): Promise<unknown> {
    const limit = options?.limit ?? peek.byDefault;
    if (!isInteger(limit) || (limit as number) < 1 || (limit as number) > peek.most) {
      throw new TypeError(
        'The limit of ctx.peek must be a whole number from 1 to ' + peek.most + '.',
      );
    }
    const name = needText(topic, 'The topic of ctx.peek');
    const events = calls.hasAsked() ? null : takePrefetched(topic as string, limit as number);
    if (events !== null) {
      calls.defer(
        '{"op":"peek","topic":' + name + ',"limit":' + (limit as number) + ',"deferred":true}',
      );
      return new NativePromise((resolve) => resolve(events));
    }
    return calls.ask('{"op":"peek","topic":' + name + ',"limit":' + (limit as number) + '}');
  }

  let readyPeek: Prefetched['peek'];
  let acceptedTopics: readonly string[] = [];
  let publishedLocally = 0;

  /** The events that the host sent in advance for this peek; used once. */
  function takePrefetched(topic: string, limit: number): readonly unknown[] | null {
    const ready = readyPeek;
    if (ready === undefined || ready.topic !== topic) return null;
    if (!ready.isAll && limit > ready.events.length) return null;
    readyPeek = undefined;
    return ready.events;
  }

  /** Whether the host will certainly accept the event. The host checks it again later. */
  function isCertainlyAccepted(topic: string, event: Record<string, unknown>): boolean {
    let isDeclared = false;
    for (let index = 0; index < acceptedTopics.length; index += 1)
      isDeclared ||= acceptedTopics[index] === topic;
    if (!isDeclared || publishedLocally >= publishes.most || !calls.canDefer()) return false;
    const names = keys(event);
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index];
      if (name !== 'id' && name !== 'title' && name !== 'payload') return false;
    }
    const { id, title } = event;
    return (
      typeof id === 'string' &&
      id !== '' &&
      id.length <= publishes.idChars &&
      typeof title === 'string' &&
      title !== '' &&
      title.length <= publishes.titleChars
    );
  }

  function publish(topic: unknown, event: unknown): Promise<unknown> {
    const name = needText(topic, 'The topic of ctx.publish');
    const text = toText(needObject(event, 'The event of ctx.publish'), 'The event');
    if (isCertainlyAccepted(topic as string, event as Record<string, unknown>)) {
      publishedLocally += 1;
      calls.defer('{"op":"publish","topic":' + name + ',"event":' + text + ',"deferred":true}');
      return new NativePromise((resolve) => resolve(null));
    }
    return calls.ask('{"op":"publish","topic":' + name + ',"event":' + text + '}');
  }

  function complete(result: unknown): Promise<unknown> {
    return calls.ask('{"op":"complete","result":' + toText(result, 'The result') + '}');
  }

  function registerInput(input: unknown): Promise<unknown> {
    const text = toText(needObject(input, 'The input of ctx.registerInput'), 'The input');
    return calls.ask('{"op":"registerInput","input":' + text + '}');
  }

  function eventOf(event: unknown, what: string): string {
    const given = event as { readonly id?: unknown } | null | undefined;
    return needText(typeof given === 'object' ? given?.id : event, 'The event of ' + what);
  }

  // Part of the base image, like the tools.
  const artifacts = freeze({
    list: (event: unknown) =>
      calls.ask('{"op":"artifacts.list","event":' + eventOf(event, 'ctx.artifacts.list') + '}'),
    read: (event: unknown, name: unknown) =>
      calls.ask(
        '{"op":"artifacts.read","event":' +
          eventOf(event, 'ctx.artifacts.read') +
          ',"name":' +
          needText(name, 'The name of ctx.artifacts.read') +
          '}',
      ),
    write: (artifact: unknown) =>
      calls.ask(
        '{"op":"artifacts.write","artifact":' +
          toText(needObject(artifact, 'The argument of ctx.artifacts.write'), 'The artifact') +
          '}',
      ),
  });

  return (request) => {
    granted = request.tools;
    readyPeek = request.prefetched.peek;
    acceptedTopics = request.prefetched.publishes ?? [];
    const { now, runId } = request.values;
    return freeze({ now, runId, tools, artifacts, peek: peekAt, publish, complete, registerInput });
  };
}
