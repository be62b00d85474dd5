// From a path as a workflow writes it to a place inside a granted folder, by spelling alone. What
// lies there in truth is looked at when it is opened (directory.ts).
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { z } from 'zod';
import { failureOf, FileRefused } from '#main/tools/files/file-errors.ts';
import { MAX_PATH_LENGTH } from '#main/tools/limits.ts';
import type { ToolFailure } from '#main/tools/tool.ts';

const WINDOWS = process.platform === 'win32';
/** Devices, streams and names that Windows reads in a way of its own. */
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
      `This workflow may only read in ${folder}. Nothing was changed. Grant it without readOnly if it should write.`,
    );
  }
  return { folder, path, parent: dirname(path), name: basename(path), isFolder: path === folder };
}

/** What spelling and grant alone tell. */
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
  if (path.includes('\0')) return 'must not hold a NUL character';
  if (!path.isWellFormed()) return 'has half a character';
  if (!isAbsolute(path) && !/^~(?:[/\\]|$)/.test(path))
    return 'must be a full path, or begin with ~/';
  const parts = path.split(WINDOWS ? /[/\\]/ : '/');
  if (parts.includes('..')) return 'must not go up with ".."';
  if (!WINDOWS) return null;
  const names = parts.slice(1).filter((part) => part !== '.');
  return names.some((part) => WINDOWS_TRAP.test(part)) || path.startsWith('\\\\')
    ? 'has a part that is not a plain name'
    : null;
}

function notGranted(text: string, path: string): FileRefused {
  return new FileRefused(
    'permission',
    `This workflow may not use ${text}. Nothing was read or changed. Grant it the folder "${dirname(path)}" if it should.`,
  );
}
