// The keys of both devices, made before either starts because each needs the other's hash.
import { readFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDeviceKey, openDeviceKey } from '#main/sync/link/device-key.ts';
import type { OpenKey } from '#main/sync/link/secure-socket.ts';

const ROLES = ['send', 'receive'] as const;
type Role = (typeof ROLES)[number];

export function makeKeys(folder: string): void {
  for (const role of ROLES) {
    const own = join(folder, role);
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'certificate.pem'), makeDeviceKey(own, undefined).certificate);
  }
}

export function readKeys(
  folder: string,
  role: Role,
): { readonly ours: OpenKey; readonly theirs: { deviceId: string; keyHash: string } } {
  const { deviceId, keyHash } = readKey(folder, role === 'send' ? 'receive' : 'send');
  return { ours: readKey(folder, role), theirs: { deviceId, keyHash } };
}

function readKey(folder: string, role: Role): OpenKey {
  const own = join(folder, role);
  const certificate = readFileSync(join(own, 'certificate.pem'), 'utf8');
  return openDeviceKey(own, certificate, undefined) as OpenKey;
}
