// Disk usage of the data folder by part.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export type FolderPart = 'database' | 'backups' | 'logs' | 'jobs' | 'window' | 'rest';

export interface FolderSize {
  readonly bytes: number;
  readonly parts: { name: FolderPart; bytes: number }[];
}

export async function measureFolder(dir: string): Promise<FolderSize> {
  const sizes = new Map<FolderPart, number>();
  for (const name of await entriesOf(dir)) {
    const part = partOf(name);
    sizes.set(part, (sizes.get(part) ?? 0) + (await sizeOf(join(dir, name))));
  }
  const parts = [...sizes].map(([name, bytes]) => ({ name, bytes }));
  return {
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    parts: parts.filter(({ bytes }) => bytes > 0).toSorted((a, b) => b.bytes - a.bytes),
  };
}

function partOf(name: string): FolderPart {
  if (name.startsWith('holdfast.db')) return 'database';
  switch (name) {
    case 'backups':
    case 'logs':
      return name;
    case 'runner-logs':
      return 'jobs';
    case 'electron':
      return 'window';
    default:
      return 'rest';
  }
}

/** Symbolic links are not followed. Files that disappear meanwhile count as 0. */
async function sizeOf(path: string): Promise<number> {
  const stat = await lstat(path).catch(() => null);
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.size;
  let bytes = 0;
  for (const name of await entriesOf(path)) bytes += await sizeOf(join(path, name));
  return bytes;
}

async function entriesOf(dir: string): Promise<string[]> {
  return readdir(dir).catch(() => []);
}
