// Rate limit of a workflow's runs per clock hour. A workflow over the limit is taken for a loop; the
// lane pauses it.

const HOUR_MS = 3_600_000;

export class RunBudget {
  readonly #limit: number;
  #hour = -1;
  #spent = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** False if this hour's budget is used up. */
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
