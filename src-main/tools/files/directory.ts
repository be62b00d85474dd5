// An opened folder that is certainly inside the granted one. On Linux everything in it is reached
// through the open handle, so that nobody can put a link in its place in between. Other systems
// have no such way: there the real path is looked at again right before use.
import { constants } from 'node:fs';
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stats } from 'node:fs';
import { codeOf, FileRefused } from '#main/tools/files/file-errors.ts';
import { isWithin, type Place } from '#main/tools/files/place.ts';

export interface Directory {
  /** A path to the entry of this name, for the calls of `fs`. */
  at(name: string): string;
  /** The folder itself. */
  readonly here: string;
  /** Of an entry, links not followed; null where there is none. */
  stat(name: string): Promise<Stats | null>;
  /** Puts what was renamed or created in it on disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Folders of the app itself, which no grant reaches. */
export type KeptOut = readonly string[];

/** Folder handles with stable paths. */
const HAS_HANDLES = process.platform === 'linux';
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** Works in an opened folder, and closes it. */
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

/** Opens the folder that a place is in. Throws `FileRefused` and system errors. */
export async function openParent(place: Place, keptOut: KeptOut): Promise<Directory> {
  if (place.isFolder) {
    throw new FileRefused(
      'logic',
      `${place.path} is the granted folder itself. Name a file in it.`,
    );
  }
  return openInside(place.folder, place.parent, keptOut);
}

export async function openInside(
  granted: string,
  path: string,
  keptOut: KeptOut,
): Promise<Directory> {
  const root = await realpath(granted);
  const real = await realpath(path);
  await checkReal(root, real, path, keptOut);
  if (!HAS_HANDLES) return directoryByPath(root, real, path, keptOut);
  const handle = await open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    // The path may have changed its meaning since it was looked at; the handle cannot any more.
    await checkReal(root, await readlink(`/proc/self/fd/${handle.fd}`), path, keptOut);
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
  keptOut: KeptOut,
): Promise<void> {
  if (!isWithin(root, real)) {
    throw new FileRefused(
      'permission',
      `${path} leads out of the granted folder, to ${real}. Nothing was read or changed.`,
    );
  }
  for (const own of keptOut) {
    const ownReal = await realpath(own).catch(() => own);
    if (isWithin(ownReal, real)) {
      throw new FileRefused(
        'permission',
        `${path} belongs to Holdfast itself, and is not for workflows.`,
      );
    }
  }
}

function directoryByHandle(handle: FileHandle): Directory {
  const here = `/proc/self/fd/${handle.fd}`;
  return {
    here: `${here}/.`,
    at: (name) => `${here}/${name}`,
    stat: (name) => statOf(`${here}/${name}`),
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

async function directoryByPath(
  root: string,
  real: string,
  path: string,
  keptOut: KeptOut,
): Promise<Directory> {
  await checkReal(root, await realpath(real), path, keptOut);
  return {
    here: real,
    at: (name) => join(real, name),
    stat: (name) => statOf(join(real, name)),
    // Windows cannot open folders, and has their entries on disk by itself.
    sync: async () => {
      if (process.platform === 'win32') return;
      const handle = await open(real, 'r');
      await handle.sync().finally(() => handle.close());
    },
    close: async () => {},
  };
}

async function statOf(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
