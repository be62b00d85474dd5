// How many runs a workflow may make in an hour. Whoever makes more is in a loop, and would go on
// for ever: it is stopped, and says so.

const HOUR_MS = 3_600_000;

export class RunBudget {
  readonly #limit: number;
  #hour = -1;
  #spent = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** False: this hour's budget is used up. */
  spend(now: number): boolean {
    const hour = Math.floor(now / HOUR_MS);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#spent = 0;
    }
    this.#spent += 1;
    return this.#spent <= this.#limit;
  }
}
