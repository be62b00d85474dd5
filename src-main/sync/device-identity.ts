// The identity of this device: the hash of its key. A copied database would share its identity with
// the original, and two writers with one identity silently lose each other's changes. So a copy gets
// a new key and a new id.
import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Cipher } from '#main/secrets/secret-store.ts';
import { syncFolder } from '#main/secrets/secret-file.ts';
import { makeDeviceKey, openDeviceKey, type DeviceKey } from '#main/sync/link/device-key.ts';
import { sha256Hex } from '#shared/ids.ts';

/** Recorded if the machine had no id. */
const NO_MACHINE = 'unknown';

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

export interface IdentityEvidence {
  /** The device id in the database; undefined when the database is new. */
  readonly knownToDatabase: string | undefined;
  /** The database is a backup, and its device has written more since. */
  readonly isBackup: boolean;
  /** The id of this machine. Null where there is none: then inode and times decide. */
  readonly machineId: string | null;
}

export function claimIdentity(
  dir: string,
  { knownToDatabase, isBackup, machineId }: IdentityEvidence,
  cipher: Cipher | undefined,
): DeviceIdentity {
  const path = join(dir, 'device.json');
  const begin = (renewed: Renewal | null, formerId: string | null = null): DeviceIdentity => {
    // The key first: a crash in between leaves an unused key, never an id without a key.
    const key = makeDeviceKey(dir, cipher);
    writeIdentity(path, key, formerId, machineId);
    return { ...key, renewed, formerId };
  };
  // The device wrote changes after this backup; with the same id, new ones would overwrite them.
  if (isBackup) return begin('backup restored');
  const found = readIdentity(path, identitySchema);
  if (!found) {
    const keyless = readIdentity(path, keylessSchema);
    const isUpgrade =
      keyless?.deviceId === knownToDatabase && keyless && isSamePlace(keyless, path, machineId);
    if (isUpgrade) return begin(null, keyless.deviceId);
    return begin(knownToDatabase === undefined ? null : 'database copied');
  }
  if (!isSamePlace(found, path, machineId)) return begin('folder copied');
  const key = openDeviceKey(dir, found.certificate, cipher);
  if (key?.deviceId !== found.deviceId || !key) return begin('key lost');
  // The file is from before machine ids were hashed with the device, or could be read.
  if (machineId !== null && found.place.machine !== hashWithDevice(machineId, found.deviceId)) {
    writeIdentity(path, key, found.formerId ?? null, machineId);
  }
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

function isSamePlace(
  { deviceId, place }: Pick<Identity, 'deviceId' | 'place'>,
  path: string,
  machineId: string | null,
): boolean {
  const here = statSync(path, { bigint: true });
  const isSameFile = place.inode === String(here.ino) && place.birth === String(here.birthtimeNs);
  if (!isSameFile || place.machine === NO_MACHINE || machineId === null) return isSameFile;
  const known = [hashWithDevice(machineId, deviceId), formerHash(machineId)];
  return known.includes(place.machine);
}

/** Written beside and renamed: its inode differs from that of a copied file, and a crash loses none. */
function writeIdentity(
  path: string,
  { deviceId, certificate }: DeviceKey,
  formerId: string | null,
  machineId: string | null,
): void {
  const unfinished = `${path}.unfinished`;
  rmSync(unfinished, { force: true });
  const file = openSync(unfinished, 'wx', 0o600);
  try {
    const { ino, birthtimeNs } = fstatSync(file, { bigint: true });
    const machine = machineId === null ? NO_MACHINE : hashWithDevice(machineId, deviceId);
    const place = { inode: String(ino), birth: String(birthtimeNs), machine };
    const former = formerId === null ? {} : { formerId };
    const identity: Identity = { deviceId, certificate, ...former, place };
    writeSync(file, JSON.stringify(identity, null, 2));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
  syncFolder(dirname(path));
}

/** Hashed, because a machine id is confidential; with the device id, so that two devices of one machine
 * can't be linked. */
function hashWithDevice(machineId: string, deviceId: string): string {
  return sha256Hex(`${deviceId} ${machineId}`).slice(0, 32);
}

/** The format of earlier versions. */
function formerHash(machineId: string): string {
  return sha256Hex(machineId).slice(0, 16);
}
