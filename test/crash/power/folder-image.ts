// Reads a folder into memory, and makes a folder what an image says.
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Files } from '#test/crash/power/disk-image.ts';

/** Rebuilt by SQLite, so it is no part of an image. */
const isMapped = (path: string): boolean => path.endsWith('-shm');

export function readFolder(folder: string): Map<string, Buffer> {
  return new Map(filesIn(folder).map((path) => [path, readFileSync(path)]));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !isMapped(path))
    .toSorted();
}

/**
 * Files that have their content already stay as they are. `kept`: other names of files whose inode
 * matters, by path: a copied identity would be another device.
 */
export function restoreFolder(
  folder: string,
  image: Files,
  kept: ReadonlyMap<string, string>,
): void {
  for (const path of filesIn(folder)) if (!image.has(path)) rmSync(path);
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (isMapped(path)) rmSync(join(folder, path));
  }
  for (const [path, bytes] of image) {
    const original = kept.get(path);
    if (original !== undefined && readFileSync(original).equals(bytes)) {
      rmSync(path, { force: true });
      linkSync(original, path);
    } else if (!existsSync(path) || !readFileSync(path).equals(bytes)) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes, { mode: 0o600 });
    }
  }
}
