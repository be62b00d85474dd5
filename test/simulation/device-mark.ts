// The high-water mark of a device, beside its database, and the gate that asks the other devices at
// the start, as the data folder and the host set them up.
import { cpSync, existsSync, rmSync } from 'node:fs';
import {
  HighWaterMark,
  readGeneration,
  readMark,
  type MarkPlaces,
} from '#main/data-folder/high-water-mark.ts';
import type { Engine } from '#main/engine/engine.ts';
import { StartGate } from '#main/engine/start-gate.ts';
import { markWentBack } from '#main/store/queries/backup-mark.ts';
import type { LineageStore } from '#main/store/tables/lineages.ts';
import { isDiskFailure } from '#test/simulation/simulated-disk.ts';

/** An older database does not bring it along, a snapshot of the whole machine does. */
export class DeviceMark {
  readonly #deviceId: string;
  readonly #folder: string;
  #mark: HighWaterMark | undefined;

  constructor(deviceId: string, path: string) {
    this.#deviceId = deviceId;
    this.#folder = path;
  }

  /** Call before the links. */
  startGate(engine: Engine, peers: () => readonly string[]): StartGate {
    const { stores, store } = engine.context;
    const { clock, db } = store;
    const { generation, at: madeAt } = readGeneration(db);
    const mark = readMark(this.#places, this.#deviceId);
    const wasUnclean = mark?.isOpen ?? false;
    if (mark && generation < mark.generation) {
      const { lineage, version } = mark;
      const reached = wasUnclean ? null : { lineage, version };
      db.write(() => markWentBack(stores.settings, { madeAt, openedAt: clock.now(), reached }));
    }
    this.#mark = new HighWaterMark({
      ...this.#places,
      db,
      clock,
      deviceId: this.#deviceId,
      from: Math.max(generation, mark?.generation ?? 0),
      wasOpen: wasUnclean,
    });
    this.#mark.start(stores.lineages);
    return new StartGate({ engine, peers, wasUnclean });
  }

  /** The host stops cleanly and writes nothing more. */
  quit(lineages: LineageStore): void {
    try {
      this.#mark?.stop(lineages);
    } catch (error) {
      if (!isDiskFailure(error)) throw error;
    }
  }

  save(): void {
    rmSync(this.#saved, { recursive: true, force: true });
    if (existsSync(this.#folder)) cpSync(this.#folder, this.#saved, { recursive: true });
  }

  restore(): void {
    rmSync(this.#folder, { recursive: true, force: true });
    if (existsSync(this.#saved)) cpSync(this.#saved, this.#folder, { recursive: true });
  }

  get #places(): MarkPlaces {
    return { dataDir: this.#folder, stateDir: null };
  }

  get #saved(): string {
    return `${this.#folder}-saved`;
  }
}
