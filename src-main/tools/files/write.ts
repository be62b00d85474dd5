// Replaces a file atomically: write a temporary file beside it, fsync, rename. Readers see the old
// content or the new. The check compares the content.
import { constants } from 'node:fs';
import { link, open, rename, unlink } from 'node:fs/promises';
import { z } from 'zod';
import { openPlain, readTail, sha256 } from '#main/tools/files/content.ts';
import {
  whereWritable,
  type Directory,
  type ExcludedFolders,
} from '#main/tools/files/directory.ts';
import {
  codeOf,
  FileRefused,
  mutationOutcome,
  NOT_THERE,
  reconcileOutcome,
} from '#main/tools/files/file-errors.ts';
import { pathParam, refusalOf, type FilesGrant, type Place } from '#main/tools/files/place.ts';
import {
  isUntouched,
  lookAt,
  readWitness,
  sightsOf,
  witnessOf,
} from '#main/tools/files/witness.ts';
import { MAX_CONTENT_BYTES } from '#main/tools/limits.ts';
import type { MutationMethod, ReconcileContext, ReconcileOutcome } from '#main/tools/tool.ts';
import type { JsonObject } from '#shared/json.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

const params = z
  .strictObject({
    path: pathParam,
    text: z.string().optional(),
    base64: z.base64().optional(),
    ifExists: z.enum(['replace', 'fail']).default('replace'),
  })
  .refine(({ text, base64 }) => (text === undefined) !== (base64 === undefined), {
    error: 'needs text or base64, not both',
    path: ['text'],
  })
  .refine((written) => contentOf(written).length <= MAX_CONTENT_BYTES, {
    error: `is larger than ${MAX_CONTENT_BYTES} bytes`,
    path: ['text'],
  });
type Params = z.infer<typeof params>;

export function createWrite(excludedFolders: ExcludedFolders): MutationMethod<Params, FilesGrant> {
  return {
    kind: 'mutation',
    params: params.describe('Writes a whole file atomically.'),
    describe: (written) => `Write ${contentOf(written).length} bytes to ${written.path}`,
    check: (grant, { path }) => refusalOf(grant, path, true),
    howToCheck: ({ path }) => `Check whether ${path} has the new content.`,
    witness: ({ grant, clock }, { path }) =>
      whereWritable(grant, path, excludedFolders, (directory, place) =>
        witnessOf(clock, sightsOf(directory, place)),
      ),
    call: ({ grant, effectId, maySend }, written) =>
      mutationOutcome(maySend, written.path, async (act) => {
        await whereWritable(grant, written.path, excludedFolders, async (directory, place) => {
          const temporary = directory.at(temporaryName(effectId));
          const target = directory.at(place.name);
          const mode = await modeOfTarget(directory, place, written);
          try {
            await writeTemporary(temporary, contentOf(written), mode);
            await act(() =>
              written.ifExists === 'replace'
                ? rename(temporary, target)
                : linkInPlace(temporary, directory.at(linkedName(effectId)), target),
            );
          } finally {
            await removeIfThere(temporary);
          }
          await directory.sync();
        });
        return resultOf(written);
      }),
    reconcile: (context, written) =>
      reconcileOutcome(written.path, () =>
        whereWritable(context.grant, written.path, excludedFolders, (directory, place) =>
          judge(directory, place, written, context),
        ),
      ),
  };
}

async function judge(
  directory: Directory,
  place: Place,
  written: Params,
  { effectId, witness, wasResent }: ReconcileContext<FilesGrant>,
): Promise<ReconcileOutcome> {
  // Before the content: a file with the same content may have been there already.
  const now = await lookAt(sightsOf(directory, place));
  if (isUntouched(readWitness(witness), now)) return NOT_THERE;
  const [temporary, linked] = [temporaryName(effectId), linkedName(effectId)];
  const target = await directory.stat(place.name);
  if (target?.isFile() && (await hashOf(directory, place)) === sha256(contentOf(written))) {
    for (const leftover of [temporary, linked]) await removeIfThere(directory.at(leftover));
    return { type: 'happened', result: resultOf(written) };
  }
  // Its last write stopped before the step that performs the effect; only an earlier one can have got
  // further. The next write removes it.
  const [isUnfinished, mayBeLinked] = [
    await directory.stat(temporary),
    await directory.stat(linked),
  ];
  if (isUnfinished && !mayBeLinked && !wasResent) return NOT_THERE;
  return {
    type: 'unknown',
    error: `${written.path} doesn't contain what was written. Another program may have changed or taken it.`,
  };
}

function resultOf(written: Params): JsonObject {
  const content = contentOf(written);
  return { path: written.path, bytes: content.length, sha256: sha256(content) };
}

/** Derived from the effect id, so a leftover after a crash shows how far the write got. */
function temporaryName(effectId: string): string {
  return `.holdfast-${sha256(Buffer.from(effectId)).slice(0, 24)}.tmp`;
}

/** The name of the temporary file while the target's name may be a second link to it. */
function linkedName(effectId: string): string {
  return temporaryName(effectId).replace(/tmp$/, 'new');
}

async function modeOfTarget(directory: Directory, place: Place, written: Params): Promise<number> {
  const target = await directory.stat(place.name);
  if (!target) return 0o666;
  if (!target.isFile()) {
    throw new FileRefused(
      'permission',
      `${place.path} is a link, a folder or a device. Nothing was changed.`,
    );
  }
  if (written.ifExists === 'fail') {
    throw new FileRefused('logic', `${place.path} already exists. Nothing was changed.`);
  }
  return target.mode & 0o777;
}

async function writeTemporary(path: string, content: Buffer, mode: number): Promise<void> {
  await removeIfThere(path);
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    await file.writeFile(content);
    if (mode !== 0o666) await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Fails on an existing file; a rename would replace it. The file gets another name first: if a program
 * takes the target right after a crash, the leftover must not look as if the target had never been.
 */
async function linkInPlace(temporary: string, linked: string, target: string): Promise<void> {
  await rename(temporary, linked);
  try {
    await link(linked, target);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error))) throw error;
    await rename(linked, target);
  } finally {
    await removeIfThere(linked);
  }
}

async function removeIfThere(path: string): Promise<void> {
  await unlink(path).catch(() => {});
}

async function hashOf(directory: Directory, place: Place): Promise<string | null> {
  const file = await openPlain(directory, place.name, place.path);
  try {
    if (file.stat.size > MAX_CONTENT_BYTES) return null;
    return sha256(await readTail(file, MAX_CONTENT_BYTES));
  } finally {
    await file.handle.close();
  }
}

function contentOf({
  text,
  base64,
}: {
  text?: string | undefined;
  base64?: string | undefined;
}): Buffer {
  return base64 === undefined ? Buffer.from(text ?? '') : Buffer.from(base64, 'base64');
}
