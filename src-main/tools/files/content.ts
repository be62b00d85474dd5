// File content: text or base64 in params and results, bytes on disk, compared by hash.
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import {
  inDirectory,
  inParent,
  openInside,
  type Directory,
  type ExcludedFolders,
} from '#main/tools/files/directory.ts';
import { codeOf, FileRefused } from '#main/tools/files/file-errors.ts';
import type { Place } from '#main/tools/files/place.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

export function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

export interface OpenedFile {
  readonly handle: FileHandle;
  readonly stat: Stats;
}

/** Opens a regular file for reading. Follows one link, and only within the granted folder. */
export async function openFile(
  place: Place,
  excludedFolders: ExcludedFolders,
): Promise<OpenedFile> {
  try {
    return await inParent(place, excludedFolders, (directory) =>
      openPlain(directory, place.name, place.path),
    );
  } catch (error) {
    if (codeOf(error) !== 'ELOOP') throw error;
    const real = await realpath(place.path);
    return inDirectory(openInside(place.folder, dirname(real), excludedFolders), (directory) =>
      openPlain(directory, basename(real), place.path),
    );
  }
}

/** Opens an entry that is not a link. */
export async function openPlain(
  directory: Directory,
  name: string,
  path: string,
): Promise<OpenedFile> {
  // Non-blocking, because opening a pipe without a writer would block forever.
  const handle = await open(directory.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const stat = await handle.stat();
  if (stat.isFile()) return { handle, stat };
  await handle.close();
  throw new FileRefused('logic', `${path} is not a regular file.`);
}

/** The last `maxBytes` of a file, or all of it. */
export async function readTail({ handle, stat }: OpenedFile, maxBytes: number): Promise<Buffer> {
  const length = Math.min(stat.size, maxBytes);
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const from = stat.size - length + filled;
    const { bytesRead } = await handle.read(buffer, filled, length - filled, from);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
