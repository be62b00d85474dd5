// Spans of phases and effects, held until their run ends. Their trace id depends on the run's input,
// which is stored only after the first phase.
import type { Span } from '#main/observe/span.ts';

type Part = Omit<Span, 'traceId' | 'parentSpanId'>;

/** A crashed lane never reports the end of its run, so the oldest runs are dropped. */
const MAX_RUNS = 1000;

export class SpanParts {
  readonly #parts = new Map<string, Part[]>();

  add(runId: string, part: Part): void {
    const known = this.#parts.get(runId);
    if (known) {
      known.push(part);
      return;
    }
    this.#parts.set(runId, [part]);
    if (this.#parts.size <= MAX_RUNS) return;
    const [oldest] = this.#parts.keys();
    if (oldest !== undefined) this.#parts.delete(oldest);
  }

  take(runId: string): readonly Part[] {
    const parts = this.#parts.get(runId) ?? [];
    this.#parts.delete(runId);
    return parts;
  }
}
