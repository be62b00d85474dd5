// Moves a file or folder, never over an existing one. The check looks at both paths.
import { link, rename, unlink } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { z } from 'zod';
import { inParent, type Directory, type ExcludedFolders } from '#main/tools/files/directory.ts';
import {
  codeOf,
  FileRefused,
  mutationOutcome,
  NOT_THERE,
  reconcileOutcome,
  type Act,
} from '#main/tools/files/file-errors.ts';
import {
  locate,
  pathParam,
  refusalOf,
  type FilesGrant,
  type Place,
} from '#main/tools/files/place.ts';
import {
  isNowAt,
  isUnchanged,
  lookAt,
  readWitness,
  witnessOf,
  type Sight,
  type Witness,
} from '#main/tools/files/witness.ts';
import type { MutationMethod, ReconcileOutcome } from '#main/tools/tool.ts';

const params = z.strictObject({ from: pathParam, to: pathParam });
type Params = z.infer<typeof params>;

/** One end of the move: an opened folder and a name in it. */
interface End {
  readonly directory: Directory;
  readonly place: Place;
}

export function createMove(excludedFolders: ExcludedFolders): MutationMethod<Params, FilesGrant> {
  const withEnds = <T>(
    grant: FilesGrant,
    { from, to }: Params,
    work: (source: End, target: End) => Promise<T>,
  ): Promise<T> => {
    const [source, target] = [locate(grant, from, true), locate(grant, to, true)];
    return inParent(source, excludedFolders, (sourceFolder) =>
      inParent(target, excludedFolders, (targetFolder) =>
        work(
          { directory: sourceFolder, place: source },
          { directory: targetFolder, place: target },
        ),
      ),
    );
  };
  return {
    kind: 'mutation',
    params: params.describe('Moves a file or folder to a path that does not exist yet.'),
    describe: ({ from, to }) => `Move ${from} to ${to}`,
    check: (grant, { from, to }) => refusalOf(grant, from, true) ?? refusalOf(grant, to, true),
    howToCheck: ({ from, to }) => `Check whether it is at ${to} and no longer at ${from}.`,
    witness: ({ grant, clock }, moved) =>
      withEnds(grant, moved, (source, target) => witnessOf(clock, sightsOf(source, target))),
    call: ({ grant, maySend }, moved) =>
      mutationOutcome(maySend, moved.from, async (act) => {
        await withEnds(grant, moved, (source, target) => move(source, target, act));
        return { from: moved.from, to: moved.to };
      }),
    reconcile: ({ grant, witness }, moved) =>
      reconcileOutcome(moved.from, async () =>
        withEnds(grant, moved, (source, target) =>
          judge(source, target, moved, readWitness(witness)),
        ),
      ),
  };
}

async function move(source: End, target: End, act: Act): Promise<void> {
  const found = await source.directory.stat(source.place.name);
  if (!found) throw new FileRefused('logic', `${source.place.path} does not exist.`);
  if (!found.isFile() && !found.isDirectory()) {
    throw new FileRefused(
      'permission',
      `${source.place.path} is a link or a device. Nothing was moved.`,
    );
  }
  if (await target.directory.stat(target.place.name)) {
    throw new FileRefused('logic', `${target.place.path} already exists. Nothing was moved.`);
  }
  await act(() => put(source, target, found));
  await target.directory.sync();
  await source.directory.sync();
}

/** A hard link fails if the target appeared meanwhile; a rename would replace it. */
async function put(source: End, target: End, found: Stats): Promise<void> {
  const from = source.directory.at(source.place.name);
  const to = target.directory.at(target.place.name);
  if (found.isDirectory()) return rename(from, to);
  try {
    await link(from, to);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error)))
      throw error;
    return rename(from, to);
  }
  await unlink(from).catch(async (error: unknown) => {
    // With both names present it is neither moved nor unchanged.
    await unlink(to).catch(() => {
      throw Object.assign(new Error('half moved'), { code: 'EIO' });
    });
    throw error;
  });
}

async function judge(
  source: End,
  target: End,
  { from, to }: Params,
  before: Witness | null,
): Promise<ReconcileOutcome> {
  const atSource = await source.directory.stat(source.place.name);
  const atTarget = await target.directory.stat(target.place.name);
  const now = await lookAt(sightsOf(source, target));
  const happened = { type: 'happened', result: { from, to } } as const;
  // The move would have been refused, and what is there now is what was there before.
  if (isUnchanged(before, now, 'target')) return NOT_THERE;
  if (atSource && atTarget && isSameFile(atSource, atTarget)) {
    // Interrupted between linking the new name and removing the old one: only the removal is left.
    await unlink(source.directory.at(source.place.name));
    await source.directory.sync();
    return happened;
  }
  if (!atSource && isNowAt(before, now, 'source', 'target')) return happened;
  // On some file systems a moved folder keeps its times; the times of its parent folder change.
  const isFolder = atSource?.isDirectory() ?? false;
  const isPlaceUnchanged = !isFolder || isUnchanged(before, now, 'folder');
  if (isPlaceUnchanged && isUnchanged(before, now, 'source')) return NOT_THERE;
  return {
    type: 'unknown',
    error: `The content of ${from} and ${to} doesn't show whether it was moved.`,
  };
}

function sightsOf(source: End, target: End): { [what: string]: Sight } {
  return {
    source: { directory: source.directory, name: source.place.name },
    target: { directory: target.directory, name: target.place.name },
    folder: { directory: target.directory, name: '.' },
  };
}

function isSameFile(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}
