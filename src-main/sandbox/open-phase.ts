// One phase as the host sees it, in whichever thread it runs. Its journal has the answers of the host
// so far: a phase that starts over in another thread gets them again, and no call is made twice.
import { MAX_JOURNAL_CHARS } from '#main/sandbox/limits.ts';
import type { OnCalls, PhaseRequest } from '#main/sandbox/sandbox.ts';

/** To calls that left together. */
export type Answer =
  | { readonly type: 'replies'; readonly text: string }
  | { readonly type: 'stop' }
  /** The host violated the interface. */
  | { readonly type: 'broken'; readonly message: string };

export interface OpenPhase {
  readonly request: PhaseRequest;
  readonly onCalls: OnCalls;
  readonly journal: Journal;
  /** Milliseconds in the threads that the phase has left. */
  elapsedBefore: number;
}

interface Entry {
  /** JSON of calls that left together. */
  readonly calls: string;
  /** May still be in progress when the phase starts over. */
  readonly answer: Promise<Answer>;
}

export class Journal {
  /** Clock readings before the last calls: with the same clock, the code makes the same calls. */
  readonly clockReadings: number[] = [];
  readonly #entries: Entry[] = [];
  #chars = 0;
  #isFull = false;

  /** A full journal takes no more entries, and its phase can't start over. It keeps those it has: the
   * phase may be starting over just now. */
  get isFull(): boolean {
    return this.#isFull;
  }

  at(index: number): Entry | undefined {
    return this.#entries[index];
  }

  /** Known to be full, if so, before the answer can be sent on. */
  add(entry: Entry, clockReadings: readonly number[] | null): void {
    if (clockReadings === null) this.#isFull = true;
    if (this.#isFull) return;
    this.clockReadings.push(...(clockReadings ?? []));
    this.#entries.push(entry);
    void entry.answer.then((answer) => this.#count(answer));
  }

  #count(answer: Answer): void {
    if (answer.type === 'replies') this.#chars += answer.text.length;
    if (this.#chars > MAX_JOURNAL_CHARS) this.#isFull = true;
  }
}

export function openPhase(request: PhaseRequest, onCalls: OnCalls): OpenPhase {
  return { request, onCalls, journal: new Journal(), elapsedBefore: 0 };
}
