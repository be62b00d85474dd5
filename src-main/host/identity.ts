// Who this device is. A copied database would share its identity with the original, and two
// writers of one identity silently lose each other's changes: so a copy gets a new one.
import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { sha256Hex } from '#shared/ids.ts';

const identitySchema = z.object({
  deviceId: z.string().min(1),
  /** Of this very file on this very machine: a copy of it differs. */
  place: z.object({ inode: z.string(), birth: z.string(), machine: z.string() }),
});
type Identity = z.infer<typeof identitySchema>;

export interface DeviceIdentity {
  readonly deviceId: string;
  /** Why a new identity was made, where one was there before. */
  readonly renewed: 'database copied' | 'folder copied' | null;
}

/**
 * `knownToDatabase` is the device that the database believes to be on: undefined when it is new.
 */
export function claimIdentity(
  dir: string,
  knownToDatabase: string | undefined,
  newId: () => string,
): DeviceIdentity {
  const path = join(dir, 'device.json');
  const found = readIdentity(path);
  if (!found) {
    const deviceId = writeIdentity(path, newId());
    return { deviceId, renewed: knownToDatabase === undefined ? null : 'database copied' };
  }
  if (!isSamePlace(found, path)) {
    return { deviceId: writeIdentity(path, newId()), renewed: 'folder copied' };
  }
  const foreign = knownToDatabase !== undefined && knownToDatabase !== found.deviceId;
  return { deviceId: found.deviceId, renewed: foreign ? 'database copied' : null };
}

function readIdentity(path: string): Identity | undefined {
  try {
    return identitySchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // Missing or unreadable: a new identity is always safe, an old one of unknown origin never is.
    return undefined;
  }
}

function isSamePlace(identity: Identity, path: string): boolean {
  const here = placeOf(statSync(path, { bigint: true }));
  const { place } = identity;
  return place.inode === here.inode && place.birth === here.birth && place.machine === here.machine;
}

function writeIdentity(path: string, deviceId: string): string {
  // A new file, so that its place is its own even when a copied one lay here.
  rmSync(path, { force: true });
  const file = openSync(path, 'wx', 0o600);
  try {
    const identity: Identity = { deviceId, place: placeOf(fstatSync(file, { bigint: true })) };
    writeSync(file, JSON.stringify(identity, null, 2));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return deviceId;
}

function placeOf(stat: { ino: bigint; birthtimeNs: bigint }): Identity['place'] {
  return { inode: String(stat.ino), birth: String(stat.birthtimeNs), machine: machineHash() };
}

/** Hashed: the machine's own id is nobody else's business. */
function machineHash(): string {
  try {
    return sha256Hex(readFileSync('/etc/machine-id', 'utf8').trim()).slice(0, 16);
  } catch {
    return 'unknown';
  }
}
