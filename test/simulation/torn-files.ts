// What a power cut leaves of a database and its WAL: everything that was fsynced, and of the sectors
// written since then any part, in any order. SQLite ignores the WAL from the first frame whose checksum
// is wrong.
import type { Random } from '#test/support/seeded-random.ts';

export interface DatabaseFiles {
  readonly db: Buffer;
  readonly wal: Buffer;
}

export interface Written extends DatabaseFiles {
  /** Frames of the WAL that an fsync covers. */
  readonly synced: number;
  /** Frames of the WAL. What follows them in the file is from before it started again. */
  readonly frames: number;
  readonly pageBytes: number;
}

const SECTOR = 512;
const WAL_HEADER = 32;
const FRAME_HEADER = 24;

/** A torn WAL in most cases; otherwise the power failed during a checkpoint. */
export function afterPowerCut(written: Written, random: Random): DatabaseFiles {
  return random.chance(25) ? duringCheckpoint(written, random) : tornWal(written, random);
}

/** Everything that was not fsynced is lost. */
export function onlySynced(written: Written): DatabaseFiles {
  const wal = Buffer.from(written.wal);
  wal.fill(0, endOf(written, written.synced), endOf(written, written.frames));
  return { db: written.db, wal };
}

function tornWal(written: Written, random: Random): DatabaseFiles {
  const wal = Buffer.from(written.wal);
  const [from, to] = [endOf(written, written.synced), endOf(written, written.frames)];
  const isKept = keptSectors(random, (to - from) / SECTOR);
  for (let at = from, index = 0; at < to; index += 1) {
    const next = Math.min(to, (Math.floor(at / SECTOR) + 1) * SECTOR);
    if (!isKept(index)) wal.fill(0, at, next);
    at = next;
  }
  return { db: written.db, wal };
}

function keptSectors(random: Random, count: number): (index: number) => boolean {
  const until = random.int(count + 1);
  const lostPercent = random.pick([2, 20, 60]);
  return random.pick([
    () => false,
    () => true,
    (index: number) => index < until,
    () => !random.chance(lostPercent),
  ]);
}

/**
 * A checkpoint fsyncs the whole WAL, then copies its pages to the database file. Any part of them is
 * there when the power fails.
 */
function duringCheckpoint(written: Written, random: Random): DatabaseFiles {
  const { pageBytes, wal } = written;
  const pages = new Map<number, Buffer>();
  for (let frame = 0; frame < written.frames; frame += 1) {
    const at = endOf(written, frame);
    const content = wal.subarray(at + FRAME_HEADER, at + FRAME_HEADER + pageBytes);
    pages.set(wal.readUInt32BE(at), content);
  }
  const last = Math.max(0, ...pages.keys());
  const db = Buffer.alloc(Math.max(written.db.length, last * pageBytes));
  written.db.copy(db);
  const copiedPercent = random.pick([10, 50, 95]);
  for (const [page, content] of pages) {
    for (let at = 0; at < pageBytes; at += SECTOR) {
      if (!random.chance(copiedPercent)) continue;
      content.copy(db, (page - 1) * pageBytes + at, at, at + SECTOR);
    }
  }
  return { db, wal };
}

function endOf({ pageBytes }: Written, frames: number): number {
  return WAL_HEADER + frames * (FRAME_HEADER + pageBytes);
}
