// Syncs through a folder that other devices can access, such as a shared drive or a USB stick. Each
// device writes only its own subfolder and reads those of the others. The cursors are the same as for
// links, so both can be used together.
import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { mergeFrame } from '#main/sync/changes/apply.ts';
import { decodeChangeSet } from '#main/sync/changes/decode.ts';
import { encodeChangeSet } from '#main/sync/changes/encode.ts';
import { ChangeReader } from '#main/sync/changes/change-reader.ts';
import { Refused } from '#main/sync/changes/refused.ts';
import {
  ChangeFileReader,
  ChangeFileWriter,
  parseFileName,
  UNFINISHED,
  type FileHead,
  type FileName,
} from '#main/sync/folder/change-file.ts';
import {
  hasState,
  readState,
  writeState,
  type DeviceState,
} from '#main/sync/folder/device-state.ts';
import { Seal } from '#main/sync/folder/seal.ts';
import { PROTOCOL_VERSION } from '#main/sync/session/control-messages.ts';
import type { SyncSchema } from '#main/sync/changes/sync-schema.ts';
import type { SyncContext } from '#main/sync/session/sync-context.ts';
import type { SpaceKey } from '#main/sync/space-key.ts';
import { SYNC_FOLDER_FILE_BYTES } from '#shared/limits.ts';
import { continueFrom, type Lineage } from '#shared/sync/lineage.ts';

export interface FolderProblem {
  readonly device: string;
  readonly name: 'missing-files' | 'damaged-file' | 'update-needed' | Refused['name'];
  readonly message: string;
}

export interface FolderReport {
  /** Number of changes read from other devices. */
  readonly read: number;
  /** Number of changes written. */
  readonly written: number;
  /** Other devices of this space that use the folder. */
  readonly devices: readonly string[];
  readonly problems: readonly FolderProblem[];
}

interface OwnFile extends FileName {
  readonly file: string;
  readonly size: number;
}

interface Other {
  readonly folder: string;
  readonly state: DeviceState;
}

interface ReadResult {
  readonly changes: number;
  readonly problem?: FolderProblem;
  /** The file with the problem. */
  readonly file?: string | undefined;
}

export class FolderSync {
  readonly #context: SyncContext;
  readonly #seal: Seal;
  readonly #spaceFolder: string;
  readonly #ourName: string;
  readonly #ourFolder: string;

  constructor(context: SyncContext, key: SpaceKey, dir: string) {
    this.#context = context;
    this.#seal = new Seal(key);
    this.#spaceFolder = join(dir, `holdfast-${this.#seal.nameOf('space', context.spaceId)}`);
    this.#ourName = this.#seal.nameOf('device', context.deviceId);
    this.#ourFolder = join(this.#spaceFolder, this.#ourName);
  }

  /** Reads new changes, writes what others lack, then writes our state. */
  async sync(): Promise<FolderReport> {
    mkdirSync(this.#ourFolder, { recursive: true, mode: 0o700 });
    const lineages = this.#context.stores.lineages.announce();
    const { others, problems } = this.#others();
    let read = 0;
    const unreadable: DeviceState['unreadable'] = {};
    for (const other of others) {
      const result = await this.#readFrom(other);
      read += result.changes;
      if (!result.problem) continue;
      problems.push(result.problem);
      const { file } = result;
      if (file !== undefined) unreadable[other.state.device] = file;
    }
    const written = await this.#write(others, lineages, unreadable);
    return { read, written, devices: others.map(({ state }) => state.device), problems };
  }

  /** The devices in the folder, and a problem for each whose state can't be read. */
  #others(): { readonly others: Other[]; readonly problems: FolderProblem[] } {
    const others: Other[] = [];
    const problems: FolderProblem[] = [];
    for (const name of readdirSync(this.#spaceFolder)) {
      if (name === this.#ourName) continue;
      const folder = join(this.#spaceFolder, name);
      const state = readState(this.#seal, folder, name);
      if (state?.space === this.#context.spaceId) others.push({ folder, state });
      else if (hasState(folder)) {
        problems.push({ device: name, name: 'damaged-file', message: damagedState(folder) });
      }
    }
    return {
      others: others.toSorted((a, b) => (a.state.device < b.state.device ? -1 : 1)),
      problems,
    };
  }

  async #readFrom({ folder, state }: Other): Promise<ReadResult> {
    const { device } = state;
    let changes = 0;
    let current: string | undefined;
    const problem = (name: FolderProblem['name'], message: string): ReadResult => ({
      changes,
      problem: { device, name, message },
      file: current,
    });
    for (const { file, after, upTo } of namedFiles(folder)) {
      current = file;
      const reader = openFile(this.#seal, join(folder, file), device);
      // Its device removed or replaced it since it was listed.
      if (!reader) continue;
      try {
        const head = reader.head();
        if (!head || head.space !== this.#context.spaceId) return problem('damaged-file', DAMAGED);
        const update = updateNeeded(head, this.#context.schema);
        if (update) return problem('update-needed', update);
        const cursor = this.#continueWith(head);
        if (cursor === null || upTo <= cursor) continue;
        if (after > cursor) return problem('missing-files', MISSING);
        const peer = { id: device, lineage: newest(head.lineages) };
        for (let frame = reader.frame(); frame; frame = reader.frame()) {
          changes += mergeFrame(this.#merging, peer, frame).changes;
          await this.#context.yieldTurn();
        }
        const version = this.#context.stores.peerCursors.get(device)?.version ?? 0;
        if (version < upTo) return problem('damaged-file', DAMAGED);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.#context.log.warn({ peerId: device, name: error.name, error }, 'sync refused');
        return problem(error.name, error.message);
      } finally {
        reader.close();
      }
    }
    return { changes };
  }

  /** Null when the file is older than what we have of this device. */
  #continueWith({ device, lineages }: FileHead): number | null {
    const { peerCursors } = this.#context.stores;
    const cursor = peerCursors.get(device);
    const { after, rewound } = continueFrom(cursor, lineages);
    if (!rewound) return after;
    // Lineage ids sort by time: ours is newer than the file.
    const isKnown = lineages.some(({ id }) => id === cursor?.lineage);
    if (!isKnown && cursor && cursor.lineage > newest(lineages)) return null;
    this.#context.log.warn({ peerId: device, after }, 'peer lost changes; rewinding its cursor');
    peerCursors.rewind(device, { lineage: newest(lineages), version: after });
    return after;
  }

  get #merging() {
    const { db, schema, stores } = this.#context;
    return { db, schema, cursors: stores.peerCursors, refusedRows: stores.refusedRows };
  }

  async #write(
    others: readonly Other[],
    lineages: readonly Lineage[],
    unreadable: DeviceState['unreadable'],
  ): Promise<number> {
    const until = this.#context.stores.lineages.version();
    // Our files and our state tell others what this device has: it must survive a power cut.
    await this.#context.db.fsync();
    const remaining = this.#tidy(others, lineages);
    const from = remaining.at(-1)?.upTo ?? this.#neededFrom(others, lineages);
    const written = await this.#writeFiles(from, until, lineages);
    const files = [...remaining, ...written.files].map(({ file, size }) => [file, size] as const);
    const has = others.flatMap(({ state }) => {
      const cursor = this.#context.stores.peerCursors.get(state.device);
      return cursor ? [[state.device, cursor] as const] : [];
    });
    writeState(this.#seal, this.#ourFolder, this.#ourName, {
      device: this.#context.deviceId,
      space: this.#context.spaceId,
      has: Object.fromEntries(has),
      files: Object.fromEntries(files),
      unreadable,
    });
    return written.changes;
  }

  /** The version that all devices in the folder already have. */
  #neededFrom(others: readonly Other[], lineages: readonly Lineage[]): number {
    const each = others.map(({ state }) => {
      const has = state.has[this.#context.deviceId];
      return has ? continueFrom(has, lineages).after : 0;
    });
    return each.length === 0 ? 0 : Math.min(...each);
  }

  /** Removes files that are obsolete or damaged. Returns the remaining files in order. */
  #tidy(others: readonly Other[], lineages: readonly Lineage[]): OwnFile[] {
    const needed = this.#neededFrom(others, lineages);
    const known = readState(this.#seal, this.#ourFolder, this.#ourName)?.files ?? {};
    let at = needed;
    const remaining: OwnFile[] = [];
    for (const name of readdirSync(this.#ourFolder)) {
      if (name.startsWith(UNFINISHED)) rmSync(join(this.#ourFolder, name), { force: true });
    }
    const reported = others.map(({ state }) => state.unreadable[this.#context.deviceId]);
    for (const file of namedFiles(this.#ourFolder)) {
      const isOurHistory = !continueFrom({ lineage: file.lineage, version: file.upTo }, lineages)
        .rewound;
      // Reading every file at every sync would be slow, so that is done only after a report.
      const isWhole =
        known[file.file] === file.size && (!reported.includes(file.file) || this.#isReadable(file));
      const isNeeded = others.length === 0 || file.upTo > needed;
      if (isOurHistory && isWhole && isNeeded && file.after <= at && file.upTo > at) {
        remaining.push(file);
        at = file.upTo;
      } else rmSync(join(this.#ourFolder, file.file), { force: true });
    }
    return remaining;
  }

  /** Whether our copy has the changes of its name. Another device may just not have all of it yet. */
  #isReadable({ file, after, upTo }: OwnFile): boolean {
    const reader = openFile(this.#seal, join(this.#ourFolder, file), this.#context.deviceId);
    if (!reader) return false;
    try {
      if (!reader.head()) return false;
      let at = after;
      for (let frame = reader.frame(); frame; frame = reader.frame()) {
        const set = decodeChangeSet(frame, this.#context.schema);
        if (set.after !== at) return false;
        if (set.isLast) at = set.upTo;
      }
      return at === upTo;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return false;
    } finally {
      reader.close();
    }
  }

  async #writeFiles(
    from: number,
    until: number,
    lineages: readonly Lineage[],
  ): Promise<{ readonly files: { file: string; size: number }[]; readonly changes: number }> {
    const { db, yieldTurn } = this.#context;
    const reader = new ChangeReader({
      db,
      after: from,
      newest: () => until,
      // The reader may have no other source, so nothing is skipped.
      skip: () => undefined,
    });
    const files: { file: string; size: number }[] = [];
    let changes = 0;
    let after = from;
    while (reader.hasMore) {
      const writer = new ChangeFileWriter(this.#seal, this.#ourFolder, this.#head(lineages));
      let upTo = after;
      try {
        let isWhole = true;
        while (reader.hasMore && !(isWhole && writer.size > SYNC_FOLDER_FILE_BYTES)) {
          const set = reader.next();
          await yieldTurn();
          if (!set) continue;
          writer.piece(encodeChangeSet(set));
          changes += set.changes.length;
          isWhole = set.isLast;
          upTo = set.upTo;
        }
      } catch (error) {
        writer.discard();
        throw error;
      }
      if (upTo === after) writer.discard();
      else files.push({ file: writer.finish(after, upTo), size: writer.size });
      after = upTo;
    }
    return { files, changes };
  }

  #head(lineages: readonly Lineage[]): FileHead {
    return {
      device: this.#context.deviceId,
      space: this.#context.spaceId,
      protocol: PROTOCOL_VERSION,
      schema: this.#context.schema.version,
      fingerprint: this.#context.schema.fingerprint,
      lineages: [...lineages],
    };
  }
}

const DAMAGED =
  'A file of this device is incomplete or was not written by a device of this space. Everything before it is merged. Wait until it is copied completely; its device rewrites a damaged file when it syncs.';
const damagedState = (folder: string): string =>
  `The state file in ${folder} is damaged, so nothing of that device was read. Its changes are safe: the device writes the file again when it next syncs with this folder.`;
const MISSING =
  'Files of this device are missing. Everything before them is merged. The device writes them again when it next syncs with this folder.';

function updateNeeded(head: FileHead, ours: SyncSchema): string | null {
  const isSameProtocol = head.protocol === PROTOCOL_VERSION;
  if (isSameProtocol && head.fingerprint === ours.fingerprint) return null;
  const isNewer = isSameProtocol ? head.schema > ours.version : head.protocol > PROTOCOL_VERSION;
  const which = isNewer ? 'this device' : 'the other device';
  return `Holdfast on ${which} is older. Both devices keep working and keep their changes. Update it to sync again.`;
}

function newest(lineages: readonly Lineage[]): string {
  return lineages[0]?.id ?? '';
}

/** In reading order, by name. */
function namedFiles(folder: string): OwnFile[] {
  return readdirSync(folder)
    .flatMap((file) => {
      const name = parseFileName(file);
      const stat = name && lstatSync(join(folder, file), { throwIfNoEntry: false });
      return name && stat?.isFile() ? [{ ...name, file, size: stat.size }] : [];
    })
    .toSorted((a, b) => a.after - b.after || a.upTo - b.upTo);
}

function openFile(seal: Seal, path: string, device: string): ChangeFileReader | null {
  try {
    return new ChangeFileReader(seal, path, device);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
