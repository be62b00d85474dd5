// Maps a path written by a workflow to a place inside a granted folder, by spelling alone.
// directory.ts checks the real path when it opens it.
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { z } from 'zod';
import { failureOf, FileRefused } from '#main/tools/files/file-errors.ts';
import { MAX_PATH_LENGTH } from '#main/tools/limits.ts';
import type { ToolFailure } from '#main/tools/tool.ts';

const WINDOWS = process.platform === 'win32';
/** Devices, streams and other names with a special meaning on Windows. */
const WINDOWS_TRAP = /[<>:"|?*]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

export const pathParam = z
  .string()
  .min(1)
  .max(MAX_PATH_LENGTH)
  .superRefine((path, context) => {
    const problem = problemOf(path);
    if (problem !== null) context.addIssue(problem);
  });

export const filesGrant = z
  .strictObject({
    folders: z.array(pathParam).min(1).max(100),
    readOnly: z.boolean().default(false),
  })
  .meta({ examples: [{ folders: ['~/Invoices'] }] });
export type FilesGrant = z.infer<typeof filesGrant>;

/** The folders that both grants cover, read-only if one of them is. */
export function narrowFiles(
  one: unknown,
  other: unknown,
): { folders: string[]; readOnly: boolean } | null {
  const [a, b] = [one as FilesGrant, other as FilesGrant];
  const within = (inner: FilesGrant, outer: FilesGrant): string[] =>
    inner.folders.filter((folder) =>
      outer.folders.some((wider) => isWithin(fullPath(wider), fullPath(folder))),
    );
  const folders = [...new Set([...within(a, b), ...within(b, a)])];
  return folders.length === 0 ? null : { folders, readOnly: a.readOnly || b.readOnly };
}

export interface Place {
  /** The granted folder, as spelled. */
  readonly folder: string;
  readonly path: string;
  readonly parent: string;
  readonly name: string;
  /** The granted folder itself. */
  readonly isFolder: boolean;
}

/** The granted folder that a path lies in. Throws `FileRefused`. */
export function locate(grant: FilesGrant, text: string, forWriting: boolean): Place {
  const path = fullPath(text);
  const folder = grant.folders.map(fullPath).find((granted) => isWithin(granted, path));
  if (folder === undefined) throw notGranted(text, path);
  if (forWriting && grant.readOnly) {
    throw new FileRefused(
      'permission',
      `This workflow may only read in ${folder}. Nothing was changed. To let it write, grant the folder without readOnly.`,
    );
  }
  return { folder, path, parent: dirname(path), name: basename(path), isFolder: path === folder };
}

/** The result of checking spelling and grant. */
export function refusalOf(
  grant: FilesGrant,
  path: string,
  forWriting: boolean,
): ToolFailure | null {
  try {
    locate(grant, path, forWriting);
    return null;
  } catch (error) {
    return failureOf(error, path);
  }
}

export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function fullPath(text: string): string {
  const full = /^~(?:[/\\]|$)/.test(text) ? join(homedir(), text.slice(1)) : join(text);
  return full.length > 1 && full.endsWith(sep) ? full.slice(0, -1) : full;
}

function problemOf(path: string): string | null {
  if (path.includes('\0')) return 'must not contain a NUL character';
  if (!path.isWellFormed()) return 'contains half of a surrogate pair';
  if (!isAbsolute(path) && !/^~(?:[/\\]|$)/.test(path))
    return 'must be an absolute path or begin with ~/';
  const parts = path.split(WINDOWS ? /[/\\]/ : '/');
  if (parts.includes('..')) return 'must not contain ".."';
  if (!WINDOWS) return null;
  const names = parts.slice(1).filter((part) => part !== '.');
  return names.some((part) => WINDOWS_TRAP.test(part)) || path.startsWith('\\\\')
    ? 'has a component that is not a plain name'
    : null;
}

function notGranted(text: string, path: string): FileRefused {
  return new FileRefused(
    'permission',
    `This workflow may not use ${text}. Nothing was read or changed. To allow it, grant the folder "${dirname(path)}".`,
  );
}
