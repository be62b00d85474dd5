// The folder with package.json and migrations/, both from source and in a build.
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
  if (parent === folder) throw new Error('Could not find the migrations folder of Holdfast.');
  return findUpwards(parent);
}
