// Creates a folder. An existing folder counts as success.
import { mkdir } from 'node:fs/promises';
import { z } from 'zod';
import { whereWritable, type ExcludedFolders } from '#main/tools/files/directory.ts';
import {
  codeOf,
  FileRefused,
  mutationOutcome,
  reconcileOutcome,
} from '#main/tools/files/file-errors.ts';
import { pathParam, refusalOf, type FilesGrant } from '#main/tools/files/place.ts';
import type { MutationMethod } from '#main/tools/tool.ts';

const params = z.strictObject({ path: pathParam });
type Params = z.infer<typeof params>;

export function createMkdir(excludedFolders: ExcludedFolders): MutationMethod<Params, FilesGrant> {
  return {
    kind: 'mutation',
    params: params.describe('Creates a folder inside an existing one.'),
    describe: ({ path }) => `Create the folder ${path}`,
    check: (grant, { path }) => refusalOf(grant, path, true),
    howToCheck: ({ path }) => `Check whether the folder ${path} exists.`,
    call: ({ grant }, { path }) =>
      mutationOutcome(path, (act) =>
        whereWritable(grant, path, excludedFolders, async (directory, place) => {
          let existed = false;
          await act(async () => {
            existed = await isThere(mkdir(directory.at(place.name)));
            if (!existed || (await directory.stat(place.name))?.isDirectory()) return;
            throw new FileRefused('logic', `${path} already exists and is not a folder.`);
          });
          await directory.sync();
          return { path, existed };
        }),
      ),
    // It doesn't matter who removed it since: a missing folder can be created again.
    reconcile: ({ grant }, { path }) =>
      reconcileOutcome(path, () =>
        whereWritable(grant, path, excludedFolders, async (directory, place) => {
          const isFolder = (await directory.stat(place.name))?.isDirectory() ?? false;
          return isFolder
            ? { type: 'happened', result: { path, existed: true } }
            : { type: 'did_not_happen' };
        }),
      ),
  };
}

async function isThere(making: Promise<unknown>): Promise<boolean> {
  try {
    await making;
    return false;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return true;
    throw error;
  }
}
