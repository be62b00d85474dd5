// Replaces a file atomically: write a temporary file beside it, fsync, rename. Readers see the old
// content or the new. The check compares the content.
import { constants } from 'node:fs';
import { link, open, rename, unlink } from 'node:fs/promises';
import { z } from 'zod';
import { isUntouchedSince, openPlain, readTail, sha256 } from '#main/tools/files/content.ts';
import {
  whereWritable,
  type Directory,
  type ExcludedFolders,
} from '#main/tools/files/directory.ts';
import {
  codeOf,
  FileRefused,
  mutationOutcome,
  reconcileOutcome,
} from '#main/tools/files/file-errors.ts';
import { pathParam, refusalOf, type FilesGrant, type Place } from '#main/tools/files/place.ts';
import { MAX_CONTENT_BYTES } from '#main/tools/limits.ts';
import type { MutationMethod, ReconcileOutcome } from '#main/tools/tool.ts';
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
    call: ({ grant, effectId }, written) =>
      mutationOutcome(written.path, async (act) => {
        await whereWritable(grant, written.path, excludedFolders, async (directory, place) => {
          const temporary = directory.at(temporaryName(effectId));
          const mode = await modeOfTarget(directory, place, written);
          try {
            await writeTemporary(temporary, contentOf(written), mode);
            await act(() => putInPlace(temporary, directory.at(place.name), written.ifExists));
          } finally {
            await unlink(temporary).catch(() => {});
          }
          await directory.sync();
        });
        return resultOf(written);
      }),
    reconcile: ({ grant, effectId, sentAt }, written) =>
      reconcileOutcome(written.path, () =>
        whereWritable(grant, written.path, excludedFolders, (directory, place) =>
          judge(directory, place, written, temporaryName(effectId), sentAt),
        ),
      ),
  };
}

async function judge(
  directory: Directory,
  place: Place,
  written: Params,
  temporary: string,
  sentAt: number,
): Promise<ReconcileOutcome> {
  const target = await directory.stat(place.name);
  const folder = await directory.stat('.');
  const leftover = await directory.stat(temporary);
  if (leftover) await unlink(directory.at(temporary));
  if (target?.isFile() && (await hashOf(directory, place)) === sha256(contentOf(written))) {
    return { type: 'happened', result: resultOf(written) };
  }
  const untouched = [target, folder].some((stat) => stat && isUntouchedSince(stat, sentAt));
  if (leftover || untouched) return { type: 'did_not_happen' };
  return {
    type: 'unknown',
    error: `${written.path} doesn't contain what was written; another program may have changed it.`,
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
  await unlink(path).catch(() => {});
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    await file.writeFile(content);
    if (mode !== 0o666) await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Rename replaces an existing file; link fails on one. */
async function putInPlace(
  temporary: string,
  target: string,
  ifExists: Params['ifExists'],
): Promise<void> {
  if (ifExists === 'replace') return rename(temporary, target);
  try {
    await link(temporary, target);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error))) throw error;
    await rename(temporary, target);
  }
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
