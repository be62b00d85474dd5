// An opened folder that is certainly inside the granted one. On Linux its entries are reached
// through the open handle, so no program can swap in a link in between. Other systems lack this;
// there the real path is checked again right before use.
import { constants } from 'node:fs';
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { BigIntStats, Stats } from 'node:fs';
import { codeOf, FileRefused } from '#main/tools/files/file-errors.ts';
import { isWithin, locate, type FilesGrant, type Place } from '#main/tools/files/place.ts';

export interface Directory {
  /** The path of an entry, for calls of `fs`. */
  at(name: string): string;
  /** The folder itself. */
  readonly here: string;
  /** lstat of an entry; null when there is none. */
  stat(name: string): Promise<Stats | null>;
  /** The same with the times in nanoseconds. */
  look(name: string): Promise<BigIntStats | null>;
  /** Fsyncs the folder, so renames and creations are on disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Folders of the app itself, excluded from every grant. */
export type ExcludedFolders = readonly string[];

/** Folder handles with stable paths. */
const HAS_HANDLES = process.platform === 'linux';
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** Opens a folder, runs `work` in it and closes it. */
export async function inDirectory<T>(
  opening: Promise<Directory>,
  work: (directory: Directory) => Promise<T>,
): Promise<T> {
  const directory = await opening;
  try {
    return await work(directory);
  } finally {
    await directory.close();
  }
}

/** Runs `work` in the folder that a place is in. Throws `FileRefused` and system errors. */
export async function inParent<T>(
  place: Place,
  excludedFolders: ExcludedFolders,
  work: (directory: Directory) => Promise<T>,
): Promise<T> {
  if (place.isFolder) {
    throw new FileRefused(
      'logic',
      `${place.path} is the granted folder itself. Use a path inside it.`,
    );
  }
  return inDirectory(openInside(place.folder, place.parent, excludedFolders), work);
}

/** Runs `work` where a workflow wants to write. */
export async function whereWritable<T>(
  grant: FilesGrant,
  path: string,
  excludedFolders: ExcludedFolders,
  work: (directory: Directory, place: Place) => Promise<T>,
): Promise<T> {
  const place = locate(grant, path, true);
  return inParent(place, excludedFolders, (directory) => work(directory, place));
}

export async function openInside(
  granted: string,
  path: string,
  excludedFolders: ExcludedFolders,
): Promise<Directory> {
  const root = await realpath(granted);
  const real = await realpath(path);
  await checkReal(root, real, path, excludedFolders);
  if (!HAS_HANDLES) return directoryByPath(root, real, path, excludedFolders);
  const handle = await open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    // The path may point elsewhere by now; the handle can't.
    await checkReal(root, await readlink(`/proc/self/fd/${handle.fd}`), path, excludedFolders);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return directoryByHandle(handle);
}

async function checkReal(
  root: string,
  real: string,
  path: string,
  excludedFolders: ExcludedFolders,
): Promise<void> {
  if (!isWithin(root, real)) {
    throw new FileRefused(
      'permission',
      `${path} points outside the granted folder, to ${real}. Nothing was read or changed.`,
    );
  }
  for (const own of excludedFolders) {
    const ownReal = await realpath(own).catch(() => own);
    if (isWithin(ownReal, real)) {
      throw new FileRefused('permission', `${path} belongs to Holdfast. Workflows can't use it.`);
    }
  }
}

function directoryByHandle(handle: FileHandle): Directory {
  const here = `/proc/self/fd/${handle.fd}`;
  return {
    here: `${here}/.`,
    at: (name) => `${here}/${name}`,
    stat: (name) => orNull(lstat(`${here}/${name}`)),
    look: (name) => orNull(lstat(`${here}/${name}`, { bigint: true })),
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

async function directoryByPath(
  root: string,
  real: string,
  path: string,
  excludedFolders: ExcludedFolders,
): Promise<Directory> {
  await checkReal(root, await realpath(real), path, excludedFolders);
  return {
    here: real,
    at: (name) => join(real, name),
    stat: (name) => orNull(lstat(join(real, name))),
    look: (name) => orNull(lstat(join(real, name), { bigint: true })),
    // Windows can't open folders and needs no fsync for their entries.
    sync: async () => {
      if (process.platform === 'win32') return;
      const handle = await open(real, 'r');
      await handle.sync().finally(() => handle.close());
    },
    close: async () => {},
  };
}

async function orNull<Found>(finding: Promise<Found>): Promise<Found | null> {
  try {
    return await finding;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
