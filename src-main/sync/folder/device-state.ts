// What a device says of itself in a shared folder: who it is, how far it has what the others wrote,
// and which files it has written. Replaced as a whole; only its own device ever writes it.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { UNFINISHED } from '#main/sync/folder/change-file.ts';
import type { Seal } from '#main/sync/folder/seal.ts';
import { MAX_ID_LENGTH } from '#shared/limits.ts';

const FILE = 'state';
const id = z.string().min(1).max(MAX_ID_LENGTH);
const stateSchema = z.object({
  device: id,
  space: id,
  /** By device: everything of it up to here is with us. */
  has: z.record(id, z.object({ lineage: id, version: z.int().min(0) })),
  /** By name: the size of each file. One of another size is damaged. */
  files: z.record(z.string(), z.int()),
});
export type DeviceState = z.infer<typeof stateSchema>;

/** Null: none there, of another space, or not whole yet. */
export function readState(seal: Seal, folder: string, name: string): DeviceState | null {
  try {
    const plain = seal.open(readFileSync(join(folder, FILE)), `state ${name}`);
    if (!plain) return null;
    const state = stateSchema.safeParse(JSON.parse(plain.toString('utf8')));
    return state.success && seal.nameOf('device', state.data.device) === name ? state.data : null;
  } catch {
    return null;
  }
}

/** Leaves the file alone where it says the same already: a folder that is idle stays idle. */
export function writeState(seal: Seal, folder: string, name: string, state: DeviceState): void {
  const known = readState(seal, folder, name);
  if (known && JSON.stringify(known) === JSON.stringify(state)) return;
  const path = join(folder, `${UNFINISHED}${randomBytes(8).toString('hex')}`);
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, seal.close(Buffer.from(JSON.stringify(state), 'utf8'), `state ${name}`));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(path, join(folder, FILE));
}
