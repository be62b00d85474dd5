// Runs inside QuickJS as source text: it may use only its parameters and the language.

export function installConsole(
  log: (level: string, text: string) => boolean,
  maxChars: number,
): void {
  const { stringify } = JSON;
  const { apply, defineProperty } = Reflect;
  const { slice } = String.prototype;
  const toText = String;
  const NativeError = Error;
  let isFull = false;

  function show(value: unknown): string {
    if (typeof value === 'string') return value;
    try {
      if (value instanceof NativeError) return value.name + ': ' + value.message;
      if (typeof value === 'object' && value !== null) return stringify(value) ?? '[object]';
      if (typeof value === 'function') return '[function ' + value.name + ']';
      return toText(value);
    } catch {
      return '[unprintable value]';
    }
  }

  function write(level: string) {
    return (...values: unknown[]): void => {
      if (isFull) return;
      let line = '';
      for (let index = 0; index < values.length && line.length <= maxChars; index += 1) {
        line += (index > 0 ? ' ' : '') + show(values[index]);
      }
      if (line.length > maxChars) line = apply(slice, line, [0, maxChars]) + ' …';
      isFull = !log(level, stringify(line));
    };
  }

  const value = {
    debug: write('debug'),
    trace: write('debug'),
    log: write('info'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  defineProperty(globalThis, 'console', { value, writable: true, configurable: true });
}
