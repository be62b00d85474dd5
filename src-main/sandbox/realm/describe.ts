// Runs inside QuickJS as source text: it may use only its parameters and the language.
// The workflow graph as the file defines it, with the types of its functions. The authoring checks
// validate it.

export function makeDescribe(): (definition: unknown) => unknown {
  const { keys } = Object;
  const { isArray } = Array;
  const { apply } = Reflect;
  const { toString } = Function.prototype;
  const FUNCTIONS = ['run', 'prepare', 'mutate', 'next'];

  const kindOf = (value: unknown): string =>
    value === null ? 'null' : isArray(value) ? 'list' : typeof value;

  function handlers(group: unknown): unknown {
    if (kindOf(group) !== 'object') return group;
    const all = Object.create(null) as Record<string, unknown>;
    for (const name of keys(group as object)) {
      all[name] = handler((group as Record<string, unknown>)[name]);
    }
    return all;
  }

  function handler(value: unknown): unknown {
    if (kindOf(value) !== 'object')
      return { kind: kindOf(value), functions: {}, texts: {}, rest: {} };
    const functions = Object.create(null) as Record<string, string>;
    const texts = Object.create(null) as Record<string, string>;
    const rest = Object.create(null) as Record<string, unknown>;
    for (const key of keys(value as object)) {
      const member = (value as Record<string, unknown>)[key];
      let isFunctionKey = false;
      for (const name of FUNCTIONS) isFunctionKey ||= name === key;
      if (isFunctionKey) functions[key] = kindOf(member);
      else rest[key] = member;
      if (isFunctionKey && typeof member === 'function') texts[key] = apply(toString, member, []);
    }
    return { kind: 'object', functions, texts, rest };
  }

  return (definition) => {
    if (kindOf(definition) !== 'object') return { kind: kindOf(definition) };
    const { producers, consumers, ...rest } = definition as Record<string, unknown>;
    return {
      kind: 'object',
      rest,
      producers: handlers(producers),
      consumers: handlers(consumers),
    };
  };
}
