// The file of secrets: only its owner may read it, and it is replaced as a whole or not at all.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

const OTHERS = 0o077;

const fileSchema = z.strictObject({
  version: z.literal(1),
  secrets: z.record(z.string(), z.strictObject({ value: z.string(), sealed: z.boolean() })),
});
export type SecretRecords = z.infer<typeof fileSchema>['secrets'];

export class SecretFileUnusable extends Error {
  constructor(path: string, why: string, options?: ErrorOptions) {
    super(`${path} ${why} Nothing was changed.`, options);
    this.name = 'SecretFileUnusable';
  }
}

export function readSecretFile(path: string): SecretRecords {
  if (!guard(path)) return {};
  try {
    return fileSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).secrets;
  } catch (error) {
    // The reason is left out: what a parser complains about, it quotes.
    const why = error instanceof SyntaxError || error instanceof z.ZodError;
    throw new SecretFileUnusable(path, why ? UNREADABLE : 'cannot be read.');
  }
}

export function writeSecretFile(path: string, secrets: SecretRecords): void {
  guard(path);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const file = openSync(temporary, 'wx', 0o600);
  try {
    try {
      writeSync(file, `${JSON.stringify({ version: 1, secrets }, null, 2)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Tells whether the file was written by somebody since. */
export function stampOf(path: string): string {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.ino}:${stat.mtimeNs}:${stat.ctimeNs}:${stat.size}` : 'none';
}

/** False when there is no file. Rights that are too wide are narrowed; a file of others is refused. */
function guard(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return false;
  if (!stat.isFile()) throw new SecretFileUnusable(path, 'is not a plain file.');
  if (!isOurs(stat)) throw new SecretFileUnusable(path, 'belongs to another user.');
  if (process.platform !== 'win32' && (stat.mode & OTHERS) !== 0) chmodSync(path, 0o600);
  return true;
}

function isOurs(stat: Stats): boolean {
  return process.getuid === undefined || stat.uid === process.getuid();
}

/** A rename is on disk when its folder is. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const UNREADABLE =
  'is not a file of secrets that Holdfast wrote. Move it away and set the secrets again.';
