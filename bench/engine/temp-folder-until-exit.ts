// A temporary folder for one side, deleted when its process exits.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function tempFolderUntilExit(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `holdfast-bench-${name}-`));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
