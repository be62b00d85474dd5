// Reads in granted folders.
import { opendir, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { z } from 'zod';
import { openFile, readTail, sha256 } from '#main/tools/files/content.ts';
import {
  inDirectory,
  inParent,
  openInside,
  type ExcludedFolders,
} from '#main/tools/files/directory.ts';
import { FileRefused, readOutcome } from '#main/tools/files/file-errors.ts';
import { locate, pathParam, refusalOf, type FilesGrant } from '#main/tools/files/place.ts';
import { MAX_CONTENT_BYTES, MAX_LISTED } from '#main/tools/limits.ts';
import type { ReadMethod } from '#main/tools/tool.ts';
import type { JsonObject } from '#shared/json.ts';

const readParams = z.strictObject({
  path: pathParam,
  encoding: z.enum(['utf8', 'base64']).default('utf8'),
});
const pathParams = z.strictObject({ path: pathParam });

export function createFileReads(excludedFolders: ExcludedFolders): {
  list: ReadMethod<z.infer<typeof pathParams>, FilesGrant>;
  read: ReadMethod<z.infer<typeof readParams>, FilesGrant>;
  stat: ReadMethod<z.infer<typeof pathParams>, FilesGrant>;
} {
  return {
    list: {
      kind: 'read',
      params: pathParams.describe('Lists a folder, sorted by name.'),
      describe: ({ path }) => `List ${path}`,
      check: (grant, { path }) => refusalOf(grant, path, false),
      call: ({ grant }, { path }) =>
        readOutcome(path, () => listFolder(grant, path, excludedFolders)),
    },
    read: {
      kind: 'read',
      params: readParams.describe('Reads a file.'),
      describe: ({ path }) => `Read ${path}`,
      check: (grant, { path }) => refusalOf(grant, path, false),
      call: ({ grant }, { path, encoding }) =>
        readOutcome(path, () => readFile(grant, path, encoding, excludedFolders)),
    },
    stat: {
      kind: 'read',
      params: pathParams.describe('Describes what is at a path, if anything.'),
      describe: ({ path }) => `Look at ${path}`,
      check: (grant, { path }) => refusalOf(grant, path, false),
      call: ({ grant }, { path }) =>
        readOutcome(path, () => statPath(grant, path, excludedFolders)),
    },
  };
}

async function listFolder(
  grant: FilesGrant,
  path: string,
  excludedFolders: ExcludedFolders,
): Promise<JsonObject> {
  const place = locate(grant, path, false);
  return inDirectory(openInside(place.folder, place.path, excludedFolders), async (directory) => {
    const found = new Map<string, JsonObject>();
    for await (const { name } of await opendir(directory.here)) {
      if (found.size === MAX_LISTED) {
        throw new FileRefused(
          'logic',
          `${path} has more than ${MAX_LISTED} entries, the limit for a list.`,
        );
      }
      const facts = await directory.stat(name);
      if (facts) found.set(name, factsOf(facts));
    }
    const names = [...found.keys()].toSorted();
    return { path, entries: names.map((name) => ({ name, ...found.get(name) })) };
  });
}

async function readFile(
  grant: FilesGrant,
  path: string,
  encoding: 'utf8' | 'base64',
  excludedFolders: ExcludedFolders,
): Promise<JsonObject> {
  const file = await openFile(locate(grant, path, false), excludedFolders);
  try {
    if (file.stat.size > MAX_CONTENT_BYTES) {
      throw new FileRefused(
        'logic',
        `${path} has ${file.stat.size} bytes; the limit is ${MAX_CONTENT_BYTES}.`,
      );
    }
    const content = await readTail(file, MAX_CONTENT_BYTES);
    const facts = { path, ...factsOf(file.stat), sha256: sha256(content) };
    if (encoding === 'base64') return { ...facts, base64: content.toString('base64') };
    return { ...facts, text: textOf(content, path) };
  } finally {
    await file.handle.close();
  }
}

async function statPath(
  grant: FilesGrant,
  path: string,
  excludedFolders: ExcludedFolders,
): Promise<JsonObject> {
  const place = locate(grant, path, false);
  if (place.isFolder) return { path, exists: true, ...factsOf(await stat(place.path)) };
  return inParent(place, excludedFolders, async (directory) => {
    const facts = await directory.stat(place.name);
    return facts ? { path, exists: true, ...factsOf(facts) } : { path, exists: false };
  });
}

function factsOf(facts: Stats): JsonObject {
  return { kind: kindOf(facts), bytes: facts.size, modifiedAt: facts.mtime.toISOString() };
}

function kindOf(facts: Stats): string {
  if (facts.isFile()) return 'file';
  if (facts.isDirectory()) return 'folder';
  return facts.isSymbolicLink() ? 'link' : 'other';
}

function textOf(content: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new FileRefused('logic', `${path} is not UTF-8 text. Read it with encoding "base64".`);
  }
}
