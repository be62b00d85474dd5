// The effects that reached the outside service, by cell, and what to do with the next requests.

export type Fate = 'received' | 'late' | 'acted' | 'answered' | 'drop' | 'refuse';

export interface Armed {
  readonly pid: number;
  readonly isMute: boolean;
  readonly fates: readonly { readonly fate: Fate; readonly nth: number }[];
}

export interface OutsideEffect {
  readonly key: string;
  readonly n: number;
  /** When it happened, on the clock that all processes of this computer share, in ns. */
  readonly at: string;
}

interface CellRecord {
  effects: OutsideEffect[];
  armed: Armed | null;
  /** Requests since `arm`. */
  requests: number;
}

export class Ledger {
  readonly #cells = new Map<string, CellRecord>();

  arm(cellId: string, armed: Armed): void {
    const cell = this.#cell(cellId);
    cell.armed = armed;
    cell.requests = 0;
  }

  isMute(cellId: string): boolean {
    return this.#cell(cellId).armed?.isMute ?? false;
  }

  /** Counts a request for an effect and returns what to do with it. */
  countRequest(cellId: string): Fate | null {
    const cell = this.#cell(cellId);
    cell.requests += 1;
    return cell.armed?.fates.find(({ nth }) => nth === cell.requests)?.fate ?? null;
  }

  killHost(cellId: string): void {
    const { armed } = this.#cell(cellId);
    if (armed) process.kill(armed.pid, 'SIGKILL');
  }

  act(cellId: string, effect: Omit<OutsideEffect, 'at'>): void {
    this.#cell(cellId).effects.push({ ...effect, at: String(process.hrtime.bigint()) });
  }

  /** Goes back to the moment when only these had happened. */
  restore(cellId: string, effects: readonly OutsideEffect[]): void {
    this.#cell(cellId).effects = [...effects];
  }

  effects(cellId: string): readonly OutsideEffect[] {
    return this.#cell(cellId).effects;
  }

  #cell(cellId: string): CellRecord {
    const known = this.#cells.get(cellId);
    if (known) return known;
    const cell = { effects: [], armed: null, requests: 0 };
    this.#cells.set(cellId, cell);
    return cell;
  }
}
