// The way from a call to a shared folder: one sync at a time, on a folder that is there.
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { SecretStore } from '#main/secrets/secret-store.ts';
import { FolderSync, type FolderReport } from '#main/sync/folder/folder-sync.ts';
import type { SyncContext } from '#main/sync/session/sync-context.ts';
import { openSpaceKey } from '#main/sync/space-key.ts';
import { ApiError } from '#shared/api/errors.ts';

export type FolderDoor = (dir: string) => Promise<FolderReport>;

/** `context` is made anew for each sync: joining a space changes it. */
export function createFolderDoor(context: () => SyncContext, secrets: SecretStore): FolderDoor {
  let before: Promise<unknown> = Promise.resolve();
  return (dir) => {
    const sync = before.then(async () => {
      requireFolder(dir);
      const key = await openSpaceKey(secrets);
      try {
        return await new FolderSync(context(), key, dir).sync();
      } catch (error) {
        throw explained(error, dir);
      }
    });
    before = sync.catch(() => undefined);
    return sync;
  };
}

/** Not made here: a stick that is not plugged in must not become a folder on the disk. */
function requireFolder(dir: string): void {
  if (isAbsolute(dir) && isFolder(dir)) return;
  throw new ApiError({
    type: 'not_found',
    message: `There is no folder ${dir}. Nothing was exchanged. Make it, or plug in the drive that it is on, and name it from the root.`,
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** A drive that is full, write-protected or pulled out in the middle is no bug. */
function explained(error: unknown, dir: string): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (!/^E[A-Z]+$/.test(code)) return error;
  const message = `The folder ${dir} cannot be used (${code}). What was exchanged before is kept. See whether it is there and can be written to, then sync again.`;
  return new ApiError({ type: 'unreachable', message }, { cause: error });
}
