// Reads a workflow file. A pipe or device never ends and would block the host, and a huge file can't be
// a workflow: neither is opened.
import { readFileSync, statSync } from 'node:fs';
import { MAX_SCRIPT_BYTES } from '#shared/limits.ts';

export function readScriptFile(path: string): string {
  const stat = statSync(path);
  if (!stat.isFile() && !stat.isDirectory()) throw new Error('it is not a regular file');
  if (stat.size > MAX_SCRIPT_BYTES) throw new Error(`it is larger than ${MAX_SCRIPT_BYTES} bytes`);
  return readFileSync(path, 'utf8');
}
