// Appends a record to a file, followed by a marker line with the effect id. The marker comes last,
// so where it is found, the whole text was written.
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { openPlain, readTail } from '#main/tools/files/content.ts';
import {
  whereWritable,
  type Directory,
  type ExcludedFolders,
} from '#main/tools/files/directory.ts';
import {
  FileRefused,
  mutationOutcome,
  NOT_THERE,
  reconcileOutcome,
  type Act,
} from '#main/tools/files/file-errors.ts';
import { pathParam, refusalOf, type FilesGrant, type Place } from '#main/tools/files/place.ts';
import {
  isUntouched,
  lookAt,
  readWitness,
  sightsOf,
  witnessOf,
  type Witness,
} from '#main/tools/files/witness.ts';
import { MAX_APPEND_FILE_BYTES, MAX_CONTENT_BYTES } from '#main/tools/limits.ts';
import type { MutationMethod, ReconcileOutcome } from '#main/tools/tool.ts';

const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

const params = z.strictObject({
  path: pathParam,
  text: z
    .string()
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= MAX_CONTENT_BYTES, {
      error: `is larger than ${MAX_CONTENT_BYTES} bytes`,
    }),
  /** One line containing `{id}`, as a comment of the file's format: `# {id}`, `<!-- {id} -->`. */
  marker: z
    .string()
    .max(200)
    .regex(/^[^\r\n]*\{id\}[^\r\n]*$/, 'must be one line with {id} in it')
    .default('# holdfast {id}'),
});
type Params = z.infer<typeof params>;

export function createAppend(excludedFolders: ExcludedFolders): MutationMethod<Params, FilesGrant> {
  return {
    kind: 'mutation',
    params: params.describe(
      'Appends text to a file, followed by a marker line that makes it checkable.',
    ),
    describe: ({ path, text }) => `Append ${Buffer.byteLength(text)} bytes to ${path}`,
    check: (grant, { path }) => refusalOf(grant, path, true),
    howToCheck: ({ path }) =>
      `Look at the end of ${path} for the text and the line with the effect id.`,
    witness: ({ grant, clock }, added) =>
      whereWritable(grant, added.path, excludedFolders, (directory, place) =>
        witnessOf(clock, sightsOf(directory, place)),
      ),
    call: ({ grant, effectId, maySend }, added) =>
      mutationOutcome(maySend, added.path, async (act) => {
        const record = recordOf(added, effectId);
        await whereWritable(grant, added.path, excludedFolders, async (directory, place) => {
          await append(directory.at(place.name), place, record, act);
          await directory.sync();
        });
        return { path: added.path, bytes: record.length };
      }),
    reconcile: ({ grant, effectId, witness }, added) =>
      reconcileOutcome(added.path, () =>
        whereWritable(grant, added.path, excludedFolders, (directory, place) =>
          judge(directory, place, added, { effectId, before: readWitness(witness) }),
        ),
      ),
  };
}

/** Opening creates the file, so it is part of the step. */
async function append(path: string, place: Place, record: Buffer, act: Act): Promise<void> {
  let file: FileHandle | undefined;
  try {
    await act(async () => {
      file = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o666);
      const before = await file.stat();
      if (!before.isFile()) throw new FileRefused('logic', `${place.path} is not a plain file.`);
      const isAtStart = await endsLine(file, before.size);
      const whole = isAtStart ? record : Buffer.concat([Buffer.from('\n'), record]);
      await writeWhole(file, whole, before.size);
    });
    await file?.sync();
  } finally {
    await file?.close();
  }
}

/** Writes everything or nothing: a partial write (full disk) is truncated again. */
async function writeWhole(file: FileHandle, content: Buffer, sizeBefore: number): Promise<void> {
  const { bytesWritten } = await file.write(content, 0, content.length, null);
  if (bytesWritten === content.length) return;
  const { size } = await file.stat();
  if (size === sizeBefore + bytesWritten) {
    await file.truncate(sizeBefore);
    throw Object.assign(new Error('short write'), { code: 'ENOSPC' });
  }
  // Another program wrote in between, so our part can't be truncated.
  throw Object.assign(new Error('short write'), { code: 'EIO' });
}

async function judge(
  directory: Directory,
  place: Place,
  added: Params,
  { effectId, before }: { effectId: string; before: Witness | null },
): Promise<ReconcileOutcome> {
  if (await directory.stat(place.name)) {
    const tail = await tailOf(directory, place);
    if (tail.includes(lineOf(added, effectId))) {
      const bytes = recordOf(added, effectId).length;
      return { type: 'happened', result: { path: added.path, bytes } };
    }
  }
  if (isUntouched(before, await lookAt(sightsOf(directory, place)))) return NOT_THERE;
  return {
    type: 'unknown',
    error: `${added.path} doesn't end with the text, but the file or its folder changed since the call. Another program may have removed the text after it was appended.`,
  };
}

async function tailOf(directory: Directory, place: Place): Promise<Buffer> {
  const file = await openPlain(directory, place.name, place.path);
  try {
    return await readTail(file, MAX_APPEND_FILE_BYTES);
  } finally {
    await file.handle.close();
  }
}

async function endsLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

function recordOf(added: Params, effectId: string): Buffer {
  const text = added.text.endsWith('\n') ? added.text : `${added.text}\n`;
  return Buffer.from(`${text}${lineOf(added, effectId)}`);
}

function lineOf({ marker }: Params, effectId: string): string {
  return `${marker.replaceAll('{id}', effectId)}\n`;
}
