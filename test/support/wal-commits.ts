// Counts the commits in a WAL file: every frame that ends a transaction says how many pages the
// database has (https://sqlite.org/fileformat2.html, "The Write-Ahead Log"). A checkpoint that starts the
// file again begins the count again, too.
import { readFileSync } from 'node:fs';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

export function countWalCommits(databasePath: string): number {
  const wal = readFileSync(`${databasePath}-wal`);
  if (wal.length < HEADER_BYTES) return 0;
  const frameBytes = FRAME_HEADER_BYTES + wal.readUInt32BE(8);
  // Frames of before the last restart of the file have other salts.
  const salts = wal.subarray(16, 24);
  let commits = 0;
  for (let at = HEADER_BYTES; at + frameBytes <= wal.length; at += frameBytes) {
    const isCurrent = wal.subarray(at + 8, at + 16).equals(salts);
    if (isCurrent && wal.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}
