// Records outside of the database how far the database got, so that an older database that is put back
// is noticed. `generation` counts up in the database and is on disk there before a file says so: a
// power cut can't put the files ahead. One file is in the data folder, one outside of it, because the
// whole folder may be put back.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Database } from '#main/store/sqlite/database.ts';
import type { LineageStore } from '#main/store/tables/lineages.ts';
import type { Clock } from '#shared/clock.ts';
import { MARK_EVERY_MS } from '#shared/limits.ts';

const GENERATION = 'generation';

const markSchema = z.object({
  deviceId: z.string(),
  generation: z.int(),
  /** The newest version of its work, and the lineage. */
  lineage: z.string(),
  version: z.int(),
  /** A host runs workflows. It stays true if that host does not stop cleanly. */
  isOpen: z.boolean(),
});
export type Mark = z.infer<typeof markSchema>;

export interface Generation {
  readonly generation: number;
  /** When it was written. Later work may be missing in the database. */
  readonly at: number;
}

export function readGeneration(db: Database): Generation {
  const sql = 'SELECT value, updated_at AS at FROM settings WHERE key = ?';
  const row = db.get<{ value: string; at: number }>(sql, GENERATION);
  return { generation: Number(row?.value ?? 0), at: row?.at ?? 0 };
}

function writeGeneration(db: Database, generation: number, at: number): void {
  db.run(
    `INSERT INTO settings (key, value, updated_at) VALUES (?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
    GENERATION,
    String(generation),
    at,
  );
}

export interface MarkPlaces {
  readonly dataDir: string;
  /** Null: only the file in the data folder. */
  readonly stateDir: string | null;
}

/** The mark with the highest generation. Null if this device has none. */
export function readMark(places: MarkPlaces, deviceId: string): Mark | null {
  const marks = pathsOf(places, deviceId).flatMap((path) => readFile(path, deviceId) ?? []);
  const ours = marks.filter((mark) => mark.deviceId === deviceId);
  return ours.toSorted((a, b) => b.generation - a.generation)[0] ?? null;
}

export interface HighWaterMarkOptions extends MarkPlaces {
  readonly db: Database;
  readonly clock: Clock;
  readonly deviceId: string;
  /** The generation of the database is at least this one, or is raised to it. */
  readonly from: number;
  readonly wasOpen: boolean;
}

export class HighWaterMark {
  readonly #options: HighWaterMarkOptions;
  #lineages: Pick<LineageStore, 'newest' | 'workVersion'> | undefined;
  #generation: number;
  #isOpen: boolean;
  #isWriting = false;
  #isStopped = false;
  #cancel: (() => void) | undefined;
  #stopListening: () => void = () => undefined;

  constructor(options: HighWaterMarkOptions) {
    this.#options = options;
    this.#generation = options.from;
    this.#isOpen = options.wasOpen;
  }

  /**
   * Call when workflows may run. Follows the commits from now on, and a start that finds no later
   * `stop` was preceded by an unclean stop.
   */
  start(lineages: Pick<LineageStore, 'newest' | 'workVersion'>): void {
    this.#lineages = lineages;
    this.#isOpen = true;
    this.#writeNow();
    this.#stopListening = this.#options.db.changes.onCommit(() => this.#schedule());
  }

  /** Call before the database is closed, after the last write. */
  stop(lineages: Pick<LineageStore, 'newest' | 'workVersion'>): void {
    if (this.#isStopped) return;
    // A command that ran nothing leaves the trace of an unclean stop for the next host.
    if (this.#lineages) this.#isOpen = false;
    this.#lineages = lineages;
    this.abandon();
    this.#writeNow();
  }

  /** Ends without a trace, as a killed process does. */
  abandon(): void {
    this.#isStopped = true;
    this.#stopListening();
    this.#cancel?.();
  }

  #writeNow(): void {
    const { db, clock } = this.#options;
    const reached = this.#reached();
    this.#generation += 1;
    db.writeDurably(() => writeGeneration(db, this.#generation, clock.now()));
    this.#writeFiles(reached, true);
  }

  #schedule(): void {
    if (this.#isWriting || this.#isStopped) return;
    const { clock } = this.#options;
    this.#cancel ??= clock.wakeAt(clock.now() + MARK_EVERY_MS, () => {
      this.#cancel = undefined;
      // Those who rely on the fsync get its error; the mark just stays behind.
      this.#write().catch(() => undefined);
    });
  }

  async #write(): Promise<void> {
    const { db, clock } = this.#options;
    const reached = this.#reached();
    this.#generation += 1;
    this.#isWriting = true;
    try {
      db.write(() => writeGeneration(db, this.#generation, clock.now()));
    } finally {
      this.#isWriting = false;
    }
    await db.fsync();
    if (!this.#isStopped) this.#writeFiles(reached, false);
  }

  #reached(): Pick<Mark, 'lineage' | 'version'> {
    return { lineage: this.#lineages?.newest ?? '', version: this.#lineages?.workVersion() ?? 0 };
  }

  #writeFiles(reached: Pick<Mark, 'lineage' | 'version'>, isDurable: boolean): void {
    const { deviceId } = this.#options;
    const mark: Mark = {
      deviceId,
      generation: this.#generation,
      ...reached,
      isOpen: this.#isOpen,
    };
    for (const path of pathsOf(this.#options, deviceId)) writeFile(path, mark, isDurable);
  }
}

function pathsOf({ dataDir, stateDir }: MarkPlaces, deviceId: string): string[] {
  const inside = join(dataDir, 'high-water-mark.json');
  return stateDir === null ? [inside] : [inside, join(stateDir, `${deviceId}.json`)];
}

/** Null if there is none. A file that a power cut tore means that a host was running. */
function readFile(path: string, deviceId: string): Mark | null {
  try {
    return markSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    if (!existsSync(path)) return null;
    return { deviceId, generation: 0, lineage: '', version: 0, isOpen: true };
  }
}

/** If the mark can't be written, an older database may go unnoticed; that must not stop the host. */
function writeFile(path: string, mark: Mark, isDurable: boolean): void {
  const unfinished = `${path}.unfinished`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = openSync(unfinished, 'w', 0o600);
    try {
      writeSync(file, JSON.stringify(mark));
      if (isDurable) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
  } catch {
    return;
  }
}
