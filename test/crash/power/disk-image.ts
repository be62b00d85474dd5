// What a disk holds after a power cut: everything that a completed fsync covered, and of the rest any
// sectors, sizes and names. Pure.
import { dirname } from 'node:path';
import type { DiskOperation } from '#test/crash/power/disk-log.ts';
import type { Random } from '#test/support/seeded-random.ts';

/** Disks write whole sectors, in any order. */
const SECTOR = 512;

/** How much of what no fsync covered reaches the disk. */
export const SURVIVALS = [
  'nothing',
  /** As after a killed process: the kernel writes all of it. */
  'everything',
  /** Each sector by chance. */
  'some sectors',
  /** Nearly each sector: few are missing. */
  'most sectors',
  /** All of some files and nothing of others, so that files are written in another order. */
  'whole files',
] as const;
export type Survival = (typeof SURVIVALS)[number];

/** Contents by path. */
export type Files = ReadonlyMap<string, Uint8Array>;

interface Change {
  readonly at: number;
  readonly write?: { readonly offset: number; readonly bytes: Uint8Array };
  /** For a truncation. */
  readonly size?: number;
}

interface DiskFile {
  readonly before: Uint8Array;
  readonly changes: Change[];
  /** Changes before this place in the log are on disk, except those that a failed fsync dropped. */
  covered: number;
  readonly dropped: { readonly from: number; readonly to: number }[];
}

type NameChange =
  | Extract<DiskOperation, { kind: 'rename' | 'link' | 'unlink' }>
  | {
      readonly kind: 'create';
      readonly path: string;
    };

/** The files after a cut before `operations[end]`, on a disk that held `before`. */
export function imageAfterCut(
  before: Files,
  operations: readonly DiskOperation[],
  { end, survival, random }: { end: number; survival: Survival; random: Random },
): Map<string, Buffer> {
  const disk = new Disk(before);
  for (const [at, operation] of operations.slice(0, end).entries()) disk.apply(at, operation);
  return disk.cut(survival, random);
}

class Disk {
  /** As running programs see them. */
  readonly #names: Map<string, DiskFile>;
  readonly #before: ReadonlyMap<string, DiskFile>;
  readonly #open = new Map<number, { file: DiskFile | undefined; path: string }>();
  readonly #syncs = new Map<number, { file: number; at: number }>();
  readonly #nameChanges: { at: number; change: NameChange; file: DiskFile | undefined }[] = [];
  /** By folder: name changes before this place in the log are on disk. */
  readonly #coveredNames = new Map<string, number>();

  constructor(before: Files) {
    this.#before = new Map([...before].map(([path, bytes]) => [path, emptyFile(bytes)]));
    this.#names = new Map(this.#before);
  }

  apply(at: number, operation: DiskOperation): void {
    switch (operation.kind) {
      case 'open':
        return this.#opened(at, operation);
      case 'write':
        this.#open.get(operation.file)?.file?.changes.push({ at, write: operation });
        return;
      case 'truncate':
        this.#open.get(operation.file)?.file?.changes.push({ at, size: operation.size });
        return;
      case 'sync':
        this.#syncs.set(operation.sync, { file: operation.file, at });
        return;
      case 'synced':
        return this.#synced(operation.sync, operation.failed);
      case 'rename':
      case 'link':
      case 'unlink':
        return this.#named(at, operation, this.#names.get(operation.path));
      case 'mkdir':
      case 'mark':
        return;
    }
  }

  cut(survival: Survival, random: Random): Map<string, Buffer> {
    const unsynced = this.#nameChanges.filter(({ at, change }) => !this.#isNameCovered(at, change));
    // File systems keep the order of changes of names, so a prefix of them is on disk.
    const kept = {
      nothing: 0,
      everything: unsynced.length,
      'some sectors': random.int(unsynced.length + 1),
      'most sectors': unsynced.length,
      'whole files': random.int(unsynced.length + 1),
    }[survival];
    const lost = new Set(unsynced.slice(kept));
    const names = new Map(this.#before);
    for (const one of this.#nameChanges) if (!lost.has(one)) rename(names, one.change, one.file);
    return new Map([...names].map(([path, file]) => [path, contentOf(file, survival, random)]));
  }

  #opened(at: number, { file, path, created, truncated }: DiskOperation & { kind: 'open' }): void {
    if (created) this.#named(at, { kind: 'create', path }, emptyFile(new Uint8Array()));
    const found = this.#names.get(path);
    if (truncated && !created) found?.changes.push({ at, size: 0 });
    this.#open.set(file, { file: found, path });
  }

  #named(at: number, change: NameChange, file: DiskFile | undefined): void {
    // A folder: its files are recorded by their own names.
    if (file === undefined) return;
    this.#nameChanges.push({ at, change, file });
    rename(this.#names, change, file);
  }

  #synced(sync: number, failed: boolean): void {
    const begun = this.#syncs.get(sync);
    const opened = begun && this.#open.get(begun.file);
    if (!opened) return;
    const { file, path } = opened;
    if (!file) {
      if (!failed) this.#coveredNames.set(path, begun.at);
      return;
    }
    // The kernel may drop what it could not write and report success the next time.
    if (failed) file.dropped.push({ from: file.covered, to: begun.at });
    file.covered = Math.max(file.covered, begun.at);
  }

  #isNameCovered(at: number, change: NameChange): boolean {
    const folder = dirname('to' in change ? change.to : change.path);
    return at < (this.#coveredNames.get(folder) ?? 0);
  }
}

function emptyFile(before: Uint8Array): DiskFile {
  return { before, changes: [], covered: 0, dropped: [] };
}

function rename(
  names: Map<string, DiskFile>,
  change: NameChange,
  file: DiskFile | undefined,
): void {
  if (!file) return;
  if (change.kind === 'rename' || change.kind === 'unlink') names.delete(change.path);
  if (change.kind === 'rename' || change.kind === 'link') names.set(change.to, file);
  if (change.kind === 'create') names.set(change.path, file);
}

function contentOf(file: DiskFile, survival: Survival, random: Random): Buffer {
  const whole = random.chance(50);
  const survives = (): boolean => {
    if (survival === 'everything') return true;
    if (survival === 'whole files') return whole;
    return random.chance({ nothing: 0, 'some sectors': 50, 'most sectors': 95 }[survival]);
  };
  const isOnDisk = ({ at }: Change): boolean =>
    at < file.covered && !file.dropped.some(({ from, to }) => at >= from && at < to);
  const content = new Content(file.before);
  /** As running programs see it. */
  let size = file.before.length;
  for (const change of file.changes) {
    const { write } = change;
    size = write ? Math.max(size, write.offset + write.bytes.length) : (change.size ?? 0);
    const isSynced = isOnDisk(change);
    if (!write) {
      if (isSynced || survives()) content.resize(change.size ?? 0);
      continue;
    }
    for (const part of isSynced ? [write] : sectorsOf(write)) {
      if (isSynced || survives()) content.write(part);
    }
  }
  // A size can be on disk before the data.
  if (size > content.size && survives()) content.resize(size);
  return content.bytes();
}

type Write = NonNullable<Change['write']>;

function* sectorsOf({ offset, bytes }: Write): Generator<Write> {
  for (let at = 0; at < bytes.length;) {
    const length = Math.min(SECTOR - ((offset + at) % SECTOR), bytes.length - at);
    yield { offset: offset + at, bytes: bytes.subarray(at, at + length) };
    at += length;
  }
}

/** The bytes of a file, zero where nothing was written. */
class Content {
  #buffer: Buffer;
  size: number;

  constructor(before: Uint8Array) {
    this.#buffer = Buffer.from(before);
    this.size = before.length;
  }

  write({ offset, bytes }: Write): void {
    this.#reserve(offset + bytes.length);
    this.#buffer.set(bytes, offset);
    this.size = Math.max(this.size, offset + bytes.length);
  }

  resize(size: number): void {
    this.#reserve(size);
    if (size < this.size) this.#buffer.fill(0, size, this.size);
    this.size = size;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.size);
  }

  #reserve(size: number): void {
    if (size <= this.#buffer.length) return;
    const larger = Buffer.alloc(Math.max(size, 2 * this.#buffer.length));
    this.#buffer.copy(larger);
    this.#buffer = larger;
  }
}
