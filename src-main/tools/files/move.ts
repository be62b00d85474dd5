// Moves a file or folder, never over an existing one. The check looks at both paths.
import { link, rename, unlink } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { z } from 'zod';
import { isUntouchedSince } from '#main/tools/files/content.ts';
import { inParent, type Directory, type ExcludedFolders } from '#main/tools/files/directory.ts';
import {
  codeOf,
  FileRefused,
  mutationOutcome,
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
    call: ({ grant }, moved) =>
      mutationOutcome(moved.from, async (act) => {
        await withEnds(grant, moved, (source, target) => move(source, target, act));
        return { from: moved.from, to: moved.to };
      }),
    reconcile: ({ grant, sentAt }, moved) =>
      reconcileOutcome(moved.from, async () =>
        withEnds(grant, moved, (source, target) => judge(source, target, moved, sentAt)),
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
  sentAt: number,
): Promise<ReconcileOutcome> {
  const atSource = await source.directory.stat(source.place.name);
  const atTarget = await target.directory.stat(target.place.name);
  const targetFolder = await target.directory.stat('.');
  const happened = { type: 'happened', result: { from, to } } as const;
  if (atSource && atTarget && isSame(atSource, atTarget)) {
    // Interrupted between linking the new name and removing the old one: only the removal is left.
    await unlink(source.directory.at(source.place.name));
    await source.directory.sync();
    return happened;
  }
  if (!atSource && atTarget && !isUntouchedSince(atTarget, sentAt)) return happened;
  const untouched = [atSource, targetFolder].some((stat) => stat && isUntouchedSince(stat, sentAt));
  if (atSource && untouched) return { type: 'did_not_happen' };
  return {
    type: 'unknown',
    error: `The content of ${from} and ${to} doesn't show whether it was moved.`,
  };
}

function isSame(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}
