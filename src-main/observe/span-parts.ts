// Phases and effects of runs that have not ended yet. Which input a run is for is known from its row,
// and that is written after its first phase: so its spans wait for its end.
import type { Span } from '#main/observe/span.ts';

type Part = Omit<Span, 'traceId' | 'parentSpanId'>;

/** A lane that broke off never tells the end: the oldest are forgotten. */
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
