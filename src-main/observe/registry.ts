// Counters, gauges and histograms in Prometheus text format 0.0.4. Not a library, because this is
// small, has no global state, and bounds the number of label sets.
import { MAX_LABEL_SETS } from '#shared/limits.ts';

export type Labels = { readonly [name: string]: string };

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  lines(): string[];
}

export class Registry {
  readonly #metrics = new Map<string, Metric>();

  counter(name: string, help: string): Counter {
    return this.#add(new Counter(name, help));
  }

  /** `read` runs when the metrics are read. */
  gauge(name: string, help: string, read: () => number | readonly Sample[]): void {
    this.#add({
      name,
      help,
      type: 'gauge',
      lines: () => {
        const samples = read();
        const all = typeof samples === 'number' ? [{ labels: {}, value: samples }] : samples;
        return all.map(({ labels, value }) => line(name, labels, value));
      },
    });
  }

  /** `bounds` in ascending order; durations in seconds. */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    return this.#add(new Histogram(name, help, bounds));
  }

  text(): string {
    const blocks = [...this.#metrics.values()].map((metric) =>
      [
        `# HELP ${metric.name} ${metric.help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
        `# TYPE ${metric.name} ${metric.type}`,
        ...metric.lines(),
      ].join('\n'),
    );
    return `${blocks.join('\n')}\n`;
  }

  #add<M extends Metric>(metric: M): M {
    const { name } = metric;
    if (!/^[a-zA-Z_:][\w:]*$/.test(name)) throw new Error(`Invalid metric name: ${name}`);
    if (this.#metrics.has(name)) throw new Error(`Metric is already registered: ${name}`);
    this.#metrics.set(metric.name, metric);
    return metric;
  }
}

/** One value per combination of labels. Beyond MAX_LABEL_SETS, combinations count as "other". */
class LabelSets<Value> {
  readonly #sets = new Map<string, { readonly labels: Labels; readonly value: Value }>();
  readonly #make: () => Value;

  constructor(make: () => Value) {
    this.#make = make;
  }

  of(labels: Labels): Value {
    const key = keyOf(labels);
    const known = this.#sets.get(key);
    if (known) return known.value;
    const isFull = this.#sets.size >= MAX_LABEL_SETS;
    if (isFull && Object.values(labels).some((value) => value !== 'other')) {
      return this.of(Object.fromEntries(Object.keys(labels).map((name) => [name, 'other'])));
    }
    const value = this.#make();
    this.#sets.set(key, { labels, value });
    return value;
  }

  all(): { readonly labels: Labels; readonly value: Value }[] {
    return [...this.#sets.values()];
  }
}

export class Counter implements Metric {
  readonly type = 'counter';
  readonly #counts = new LabelSets(() => ({ value: 0 }));

  readonly name: string;
  readonly help: string;

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  add(labels: Labels = {}, by = 1): void {
    this.#counts.of(labels).value += by;
  }

  lines(): string[] {
    return this.#counts.all().map(({ labels, value }) => line(this.name, labels, value.value));
  }
}

export class Histogram implements Metric {
  readonly type = 'histogram';
  readonly #series: LabelSets<{ readonly counts: number[]; sum: number; count: number }>;

  readonly name: string;
  readonly help: string;
  readonly bounds: readonly number[];

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name;
    this.help = help;
    this.bounds = bounds;
    this.#series = new LabelSets(() => ({ counts: bounds.map(() => 0), sum: 0, count: 0 }));
  }

  observe(labels: Labels, value: number): void {
    const series = this.#series.of(labels);
    series.sum += value;
    series.count += 1;
    const at = this.bounds.findIndex((bound) => value <= bound);
    if (at >= 0) series.counts[at] = (series.counts[at] ?? 0) + 1;
  }

  lines(): string[] {
    return this.#series.all().flatMap(({ labels, value: { counts, sum, count } }) => {
      let below = 0;
      const buckets = this.bounds.map((bound, at) => {
        below += counts[at] ?? 0;
        return line(`${this.name}_bucket`, { ...labels, le: String(bound) }, below);
      });
      return [
        ...buckets,
        line(`${this.name}_bucket`, { ...labels, le: '+Inf' }, count),
        line(`${this.name}_sum`, labels, sum),
        line(`${this.name}_count`, labels, count),
      ];
    });
  }
}

function keyOf(labels: Labels): string {
  let key = '';
  for (const name in labels) key += `${name}\u0000${labels[name]}\u0000`;
  return key;
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escape(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}`;
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}
