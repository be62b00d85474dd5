// The identity of this device: the hash of its key. A copied database would share its identity with
// the original, and two writers with one identity silently lose each other's changes. So a copy gets
// a new key and a new id.
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
import type { Cipher } from '#main/secrets/secret-store.ts';
import { makeDeviceKey, openDeviceKey, type DeviceKey } from '#main/sync/link/device-key.ts';
import { sha256Hex } from '#shared/ids.ts';

const placeSchema = z.object({ inode: z.string(), birth: z.string(), machine: z.string() });
const identitySchema = z.object({
  deviceId: z.string().min(1),
  certificate: z.string(),
  /** The id before the last change, until the database has the new one too. */
  formerId: z.string().optional(),
  /** Identifies this file on this computer; a copy differs. */
  place: placeSchema,
});
type Identity = z.infer<typeof identitySchema>;

/** The format from before devices had keys. */
const keylessSchema = z.object({ deviceId: z.string().min(1), place: placeSchema });

export type Renewal = 'database copied' | 'folder copied' | 'key lost' | 'backup restored';

export interface DeviceIdentity extends DeviceKey {
  /** Why an existing identity was replaced. */
  readonly renewed: Renewal | null;
  /** The id from before the device had a key; its rows are still its own. */
  readonly formerId: string | null;
}

/**
 * `knownToDatabase` is the device id in the database; undefined when the database is new. `isBackup`:
 * the database is a backup, and its device has written more since.
 */
export function claimIdentity(
  dir: string,
  knownToDatabase: string | undefined,
  cipher: Cipher | undefined,
  isBackup = false,
): DeviceIdentity {
  const path = join(dir, 'device.json');
  const begin = (renewed: Renewal | null, formerId: string | null = null): DeviceIdentity => {
    // The key first: a crash in between leaves an unused key, never an id without a key.
    const key = makeDeviceKey(dir, cipher);
    writeIdentity(path, key, formerId);
    return { ...key, renewed, formerId };
  };
  // The device wrote changes after this backup; with the same id, new ones would overwrite them.
  if (isBackup) return begin('backup restored');
  const found = readIdentity(path, identitySchema);
  if (!found) {
    const keyless = readIdentity(path, keylessSchema);
    const isUpgrade =
      keyless?.deviceId === knownToDatabase && keyless && isSamePlace(keyless.place, path);
    if (isUpgrade) return begin(null, keyless.deviceId);
    return begin(knownToDatabase === undefined ? null : 'database copied');
  }
  if (!isSamePlace(found.place, path)) return begin('folder copied');
  const key = openDeviceKey(dir, found.certificate, cipher);
  if (key?.deviceId !== found.deviceId || !key) return begin('key lost');
  if (found.formerId !== undefined && knownToDatabase === found.formerId) {
    return { ...key, renewed: null, formerId: found.formerId };
  }
  const foreign = knownToDatabase !== undefined && knownToDatabase !== found.deviceId;
  return { ...key, renewed: foreign ? 'database copied' : null, formerId: null };
}

function readIdentity<Read>(path: string, schema: z.ZodType<Read>): Read | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // Missing or unreadable: a new identity is safe, one of unknown origin is not.
    return undefined;
  }
}

function isSamePlace(place: Identity['place'], path: string): boolean {
  const here = placeOf(statSync(path, { bigint: true }));
  return place.inode === here.inode && place.birth === here.birth && place.machine === here.machine;
}

function writeIdentity(
  path: string,
  { deviceId, certificate }: DeviceKey,
  formerId: string | null,
): void {
  // A new file, so that its inode differs from a copied one.
  rmSync(path, { force: true });
  const file = openSync(path, 'wx', 0o600);
  try {
    const place = placeOf(fstatSync(file, { bigint: true }));
    const former = formerId === null ? {} : { formerId };
    const identity: Identity = { deviceId, certificate, ...former, place };
    writeSync(file, JSON.stringify(identity, null, 2));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function placeOf(stat: { ino: bigint; birthtimeNs: bigint }): Identity['place'] {
  return { inode: String(stat.ino), birth: String(stat.birthtimeNs), machine: machineHash() };
}

/** Hashed for privacy. */
function machineHash(): string {
  try {
    return sha256Hex(readFileSync('/etc/machine-id', 'utf8').trim()).slice(0, 16);
  } catch {
    return 'unknown';
  }
}
