// Content-addressed files in the data folder: `artifacts/ab/cdef…`, readable by the user alone. A file
// is renamed to its hash only after fsync, so a named file is complete. Unreferenced files are swept.
import { hash, randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#shared/clock.ts';
import { canonicalJson, type Json } from '#shared/json.ts';

export interface Artifact {
  /** SHA-256 of the content, 64 hex digits. */
  readonly ref: string;
  readonly bytes: number;
}

export interface Swept {
  readonly removed: number;
  readonly bytes: number;
}

/** The content doesn't match its hash: the disk is damaged or another program changed the file. */
export class ArtifactDamaged extends Error {
  readonly ref: string;

  constructor(ref: string) {
    super(
      `The artifact ${ref} is damaged on disk and was not used. The file was not deleted. Receiving the same content again replaces it.`,
    );
    this.name = 'ArtifactDamaged';
    this.ref = ref;
  }
}

const REF = /^[0-9a-f]{64}$/;
const TEMPORARY = /\.tmp$/;

export class ArtifactStore {
  readonly folder: string;
  readonly #clock: Pick<Clock, 'now'>;
  /** Files that are being written, with the number of writers; a sweep skips them. */
  readonly #inUse = new Map<string, number>();

  constructor(options: { readonly dataDir: string; readonly clock: Pick<Clock, 'now'> }) {
    this.folder = join(options.dataDir, 'artifacts');
    this.#clock = options.clock;
  }

  /** Resolves when the file and its directory entry are on disk. Equal content is one file. */
  async put(value: Uint8Array | Json): Promise<Artifact> {
    const content =
      value instanceof Uint8Array ? value : new TextEncoder().encode(canonicalJson(value));
    const ref = hash('sha256', content);
    this.#inUse.set(ref, (this.#inUse.get(ref) ?? 0) + 1);
    try {
      if (await this.#isWhole(ref)) await this.#touch(this.#pathOf(ref));
      else await this.#write(ref, content);
      return { ref, bytes: content.length };
    } finally {
      const count = (this.#inUse.get(ref) ?? 1) - 1;
      if (count === 0) this.#inUse.delete(ref);
      else this.#inUse.set(ref, count);
    }
  }

  /** Undefined when there is none. Throws `ArtifactDamaged` when the content doesn't match. */
  async get(ref: string): Promise<Uint8Array | undefined> {
    if (!REF.test(ref)) return undefined;
    const content = await orUndefined(readFile(this.#pathOf(ref)));
    if (content && hash('sha256', content) !== ref) throw new ArtifactDamaged(ref);
    return content;
  }

  async has(ref: string): Promise<boolean> {
    return (await this.size(ref)) !== null;
  }

  /** Bytes of the content; null when there is none. */
  async size(ref: string): Promise<number | null> {
    if (!REF.test(ref)) return null;
    return (await orUndefined(stat(this.#pathOf(ref))))?.size ?? null;
  }

  /**
   * Removes unreferenced files that were last put before `olderThan` (a new file may not be referenced
   * yet), and temporary files that a crash left.
   */
  async sweep(referenced: ReadonlySet<string>, olderThan: number): Promise<Swept> {
    let removed = 0;
    let bytes = 0;
    for (const folder of (await orUndefined(readdir(this.folder))) ?? []) {
      for (const name of (await orUndefined(readdir(join(this.folder, folder)))) ?? []) {
        const ref = folder + name;
        if (!TEMPORARY.test(name) && (!REF.test(ref) || referenced.has(ref))) continue;
        const size = this.#removeIfOld(join(this.folder, folder, name), ref, olderThan);
        if (size === null) continue;
        removed += 1;
        bytes += size;
      }
    }
    return { removed, bytes };
  }

  /** Synchronous, so that no `put` can start between the check and the removal. */
  #removeIfOld(path: string, ref: string, olderThan: number): number | null {
    if (this.#inUse.has(ref)) return null;
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found?.isFile() || found.mtimeMs >= olderThan) return null;
    rmSync(path, { force: true });
    return found.size;
  }

  #pathOf(ref: string): string {
    return join(this.folder, ref.slice(0, 2), ref.slice(2));
  }

  /** False for a damaged file, which `put` then replaces. */
  async #isWhole(ref: string): Promise<boolean> {
    const content = await orUndefined(readFile(this.#pathOf(ref)));
    return content !== undefined && hash('sha256', content) === ref;
  }

  async #write(ref: string, content: Uint8Array): Promise<void> {
    const folder = join(this.folder, ref.slice(0, 2));
    await this.#ensureFolder(folder);
    const temporary = join(folder, `${randomBytes(8).toString('hex')}.tmp`);
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.writeFile(content);
        const now = this.#clock.now() / 1000;
        await file.utimes(now, now);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.#pathOf(ref));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncFolder(folder);
  }

  async #ensureFolder(folder: string): Promise<void> {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (made === undefined) return;
    // A new folder is durable once its parent folder is fsynced.
    await syncFolder(this.folder);
    await syncFolder(join(this.folder, '..'));
  }

  async #touch(path: string): Promise<void> {
    const now = this.#clock.now() / 1000;
    await utimes(path, now, now);
  }
}

async function orUndefined<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Makes a rename durable. Windows can't open folders and doesn't need this. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
