// The state file of a device in a shared folder: its id, how far it has read the others, and which
// files it has written. Only its own device writes it, always as a whole.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { UNFINISHED } from '#main/sync/folder/change-file.ts';
import type { Seal } from '#main/sync/folder/seal.ts';
import { parseExactJson } from '#shared/exact-json.ts';
import { MAX_ID_LENGTH } from '#shared/limits.ts';

const FILE = 'state';
const id = z.string().min(1).max(MAX_ID_LENGTH);
const stateSchema = z.object({
  device: id,
  space: id,
  /** By device: the cursor up to which its changes are merged. */
  has: z.record(id, z.object({ lineage: id, version: z.int().min(0) })),
  /** Size of each file by name. A file of another size is damaged. */
  files: z.record(z.string(), z.int()),
  /** By device: its first file that could not be read here. Its device then checks its own copy. */
  unreadable: z.record(id, z.string().max(200)).default({}),
});
export type DeviceState = z.infer<typeof stateSchema>;

/** Null when it is missing, incomplete or from another space. */
export function readState(seal: Seal, folder: string, name: string): DeviceState | null {
  try {
    const plain = seal.open(readFileSync(join(folder, FILE)), `state ${name}`);
    if (!plain) return null;
    const state = stateSchema.safeParse(parseExactJson(plain.toString('utf8')));
    return state.success && seal.nameOf('device', state.data.device) === name ? state.data : null;
  } catch {
    return null;
  }
}

/** Whether there is a state file, readable or not. */
export function hasState(folder: string): boolean {
  return existsSync(join(folder, FILE));
}

/** Doesn't touch an unchanged file, so that an idle folder stays idle. */
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
