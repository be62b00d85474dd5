// Creates a folder. An existing folder counts as success.
import { mkdir } from 'node:fs/promises';
import { z } from 'zod';
import { whereWritable, type ExcludedFolders } from '#main/tools/files/directory.ts';
import {
  codeOf,
  FileRefused,
  mutationOutcome,
  NOT_THERE,
  reconcileOutcome,
} from '#main/tools/files/file-errors.ts';
import { pathParam, refusalOf, type FilesGrant } from '#main/tools/files/place.ts';
import {
  isUntouched,
  lookAt,
  readWitness,
  sightsOf,
  witnessOf,
} from '#main/tools/files/witness.ts';
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
    witness: ({ grant, clock }, { path }) =>
      whereWritable(grant, path, excludedFolders, (directory, place) =>
        witnessOf(clock, sightsOf(directory, place)),
      ),
    call: ({ grant, maySend }, { path }) =>
      mutationOutcome(maySend, path, (act) =>
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
    reconcile: ({ grant, witness }, { path }) =>
      reconcileOutcome(path, () =>
        whereWritable(grant, path, excludedFolders, async (directory, place) => {
          const isFolder = (await directory.stat(place.name))?.isDirectory() ?? false;
          if (isFolder) return { type: 'happened', result: { path, existed: true } };
          const now = await lookAt(sightsOf(directory, place));
          if (isUntouched(readWitness(witness), now)) return NOT_THERE;
          const error = `There is no folder ${path}, but its parent folder changed since the call. The folder may have been created and removed again.`;
          return { type: 'unknown', error };
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
