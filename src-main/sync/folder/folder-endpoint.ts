// Syncs with shared folders on request: one sync at a time, only with existing folders.
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { SecretStore } from '#main/secrets/secret-store.ts';
import { FolderSync, type FolderReport } from '#main/sync/folder/folder-sync.ts';
import type { SyncContext } from '#main/sync/session/sync-context.ts';
import { openSpaceKey } from '#main/sync/space-key.ts';
import { ApiError } from '#shared/api/errors.ts';

export type FolderEndpoint = (dir: string) => Promise<FolderReport>;

/** `context` is called for each sync, because joining a space changes it. */
export function createFolderEndpoint(
  context: () => SyncContext,
  secrets: SecretStore,
): FolderEndpoint {
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

/** Never creates the folder: a drive that is not connected must not become a local folder. */
function requireFolder(dir: string): void {
  if (isAbsolute(dir) && isFolder(dir)) return;
  throw new ApiError({
    type: 'not_found',
    message: `There is no folder ${dir}. Nothing was synced. Create it or connect its drive, and give its absolute path.`,
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Explains errors of the drive: full, write-protected or disconnected. */
function explained(error: unknown, dir: string): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (!/^E[A-Z]+$/.test(code)) return error;
  const message = `Could not use the folder ${dir} (${code}). Changes synced before are saved. Check that it exists and is writable, then sync again.`;
  return new ApiError({ type: 'unreachable', message }, { cause: error });
}
