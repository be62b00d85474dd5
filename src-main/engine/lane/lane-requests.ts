// Requests that wait for the next step of a lane: producers to run now, effects to send again, runs
// to cancel. They are in memory only; the decisions behind them are rows.

export interface ManualRun {
  readonly producer: string;
  readonly requestId: string;
}

export class LaneRequests {
  /** Every accepted request id. A repeated request counts once. */
  readonly #accepted = new Set<string>();
  readonly #resends = new Set<string>();
  readonly #cancels = new Set<string>();
  #manual: ManualRun[] = [];

  /** False if this request was accepted before. */
  addManual(run: ManualRun): boolean {
    if (this.#accepted.has(run.requestId)) return false;
    this.#accepted.add(run.requestId);
    this.#manual.push(run);
    return true;
  }

  takeManual(): ManualRun | undefined {
    return this.#manual.shift();
  }

  dropManual(): void {
    this.#manual = [];
  }

  get resends(): ReadonlySet<string> {
    return this.#resends;
  }

  addResend(runId: string): void {
    this.#resends.add(runId);
  }

  takeResend(): string | undefined {
    const [runId] = this.#resends;
    if (runId !== undefined) this.#resends.delete(runId);
    return runId;
  }

  addCancel(runId: string): void {
    this.#cancels.add(runId);
  }

  takeCancel(runId: string): boolean {
    return this.#cancels.delete(runId);
  }
}
