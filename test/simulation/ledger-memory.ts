// What a device has had on disk: effects that it knew as applied, and since when each effect was in
// flight. The check compares the device with it later.
import type { Database } from '#main/store/sqlite/database.ts';
import type { Clock } from '#shared/clock.ts';

interface Forgotten {
  readonly mutationId: string;
  readonly problem: string;
}

export class LedgerMemory {
  readonly forgotten: Forgotten[] = [];
  readonly #device: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #applied = new Set<string>();
  readonly #inFlightSince = new Map<string, number>();

  constructor(device: string, clock: Pick<Clock, 'now'>) {
    this.#device = device;
    this.#clock = clock;
  }

  /** Call when an fsync begins. The result is called when it has ended. */
  beginFsync(db: Database): () => void {
    const rows = this.#rows(db);
    this.#compare(rows);
    return () => {
      for (const { id, status } of rows) {
        if (status === 'applied') this.#applied.add(id);
        // A person can have it sent again.
        if (status !== 'in_flight') this.#inFlightSince.delete(id);
        else if (!this.#inFlightSince.has(id)) this.#inFlightSince.set(id, this.#clock.now());
      }
    };
  }

  /** Call after a start and at the end. */
  compareWith(db: Database): void {
    this.#compare(this.#rows(db));
    const ids = new Set(db.values<string>('SELECT id FROM mutations'));
    for (const id of this.#applied) if (!ids.has(id)) this.#forgot(id, 'gone');
  }

  inFlightSince(mutationId: string): number | undefined {
    return this.#inFlightSince.get(mutationId);
  }

  /** The device went back to an earlier copy. */
  forget(): void {
    this.#applied.clear();
    this.#inFlightSince.clear();
  }

  #rows(db: Database): { readonly id: string; readonly status: string }[] {
    return db.all(`SELECT id, status FROM mutations WHERE idempotency_key IS NOT NULL`);
  }

  #compare(rows: readonly { readonly id: string; readonly status: string }[]): void {
    for (const { id, status } of rows)
      if (status !== 'applied' && this.#applied.has(id)) this.#forgot(id, status);
  }

  #forgot(id: string, status: string): void {
    this.#applied.delete(id);
    const problem = `${this.#device} had on disk that the mutation ${id} is applied, and shows it as ${status}`;
    this.forgotten.push({ mutationId: id, problem });
  }
}
