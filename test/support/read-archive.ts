// Reads the rows of one archive file.
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export function readArchive(path: string): { table: string; row: Record<string, unknown> }[] {
  if (!existsSync(path)) return [];
  const lines = gunzipSync(readFileSync(path)).toString('utf8').split('\n').filter(Boolean);
  // A crash between appending and deleting leaves the same line twice.
  return [...new Set(lines)].map(
    (line) => JSON.parse(line) as { table: string; row: Record<string, unknown> },
  );
}
