// The folder that holds package.json and migrations/: the same from source and from a build.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let found: string | undefined;

export function packageRoot(): string {
  found ??= findUpwards(dirname(fileURLToPath(import.meta.url)));
  return found;
}

function findUpwards(folder: string): string {
  if (existsSync(join(folder, 'migrations', '0001_settings.sql'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('The migrations folder of Holdfast was not found.');
  return findUpwards(parent);
}
