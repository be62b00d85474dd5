// Parses the Prometheus text format strictly: an invalid line fails the test.

export interface PrometheusText {
  readonly types: ReadonlyMap<string, string>;
  /** `name{labels}` → value. */
  readonly samples: ReadonlyMap<string, number>;
}

const SAMPLE =
  /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*\})? (-?\d[\d.e+-]*|NaN|[+-]Inf)$/;

export function parsePrometheus(text: string): PrometheusText {
  if (!text.endsWith('\n')) throw new Error('The last line has no line break.');
  const types = new Map<string, string>();
  const samples = new Map<string, number>();
  for (const line of text.slice(0, -1).split('\n')) {
    const [, type, name] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (type !== undefined && name !== undefined) types.set(type, name);
    if (line.startsWith('# TYPE ') || /^# HELP \S+ .+$/.test(line)) continue;
    const match = SAMPLE.exec(line);
    if (!match) throw new Error(`Invalid line: ${line}`);
    const key = `${match[1]}${match[2] ?? ''}`;
    if (samples.has(key)) throw new Error(`Duplicate sample: ${key}`);
    const base = (match[1] ?? '').replace(/_(?:bucket|sum|count)$/, '');
    if (!types.has(base) && !types.has(match[1] ?? ''))
      throw new Error(`Sample without a type: ${line}`);
    samples.set(key, Number(match[3]?.replace('Inf', 'Infinity')));
  }
  return { types, samples };
}
