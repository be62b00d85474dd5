// The secrets file: readable by its owner only, and replaced atomically.
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

const GROUP_AND_OTHERS = 0o077;

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
  if (!assertSafe(path)) return {};
  try {
    return fileSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).secrets;
  } catch (error) {
    // Parser messages quote the file, so they are left out.
    const isInvalid = error instanceof SyntaxError || error instanceof z.ZodError;
    throw new SecretFileUnusable(path, isInvalid ? INVALID : "can't be read.");
  }
}

export function writeSecretFile(path: string, secrets: SecretRecords): void {
  assertSafe(path);
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

/** Changes whenever the file is written. */
export function stampOf(path: string): string {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.ino}:${stat.mtimeNs}:${stat.ctimeNs}:${stat.size}` : 'none';
}

/** False if there is no file. Narrows its permissions; throws if it belongs to another user. */
function assertSafe(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return false;
  if (!stat.isFile()) throw new SecretFileUnusable(path, 'is not a regular file.');
  if (!isOwnedByUs(stat)) throw new SecretFileUnusable(path, 'belongs to another user.');
  if (process.platform !== 'win32' && (stat.mode & GROUP_AND_OTHERS) !== 0) chmodSync(path, 0o600);
  return true;
}

function isOwnedByUs(stat: Stats): boolean {
  return process.getuid === undefined || stat.uid === process.getuid();
}

/** Makes a rename durable: the folder must be fsynced too. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const INVALID = 'is not a valid secrets file. Move it to another place and set the secrets again.';
