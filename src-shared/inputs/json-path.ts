// JSON paths for settings: `payment.card`, `items.*.token`, `a["b.c"]`, `$.id`. There are no filters
// and no recursive descent.
import { MAX_PATH_PARTS } from '#shared/limits.ts';
import { own, type Json } from '#shared/json.ts';

/** Any one key or index. */
export const ANY = Symbol('any');
export type PathPart = string | typeof ANY;

const PART = /\.?(?:(\*)|([^.[\]*"\s]+))|\[(?:(\*)|(\d+)|("(?:[^"\\]|\\.)*"))\]/y;

/** The parts, or undefined if the path is invalid. */
export function parsePath(text: string): PathPart[] | undefined {
  const body = text.startsWith('$') ? text.slice(1) : text;
  const parts: PathPart[] = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < body.length) {
    const at = PART.lastIndex;
    const match = PART.exec(body);
    if (!match || parts.length === MAX_PATH_PARTS) return undefined;
    // A name needs a dot before it, except at the start of a path without `$`.
    const hasDot = match[0].startsWith('.');
    const isWord = !match[0].startsWith('[');
    if (isWord && hasDot !== (at > 0 || text.startsWith('$'))) return undefined;
    const part = toPart(match);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts.length === 0 ? undefined : parts;
}

function toPart([, star, word, inStar, index, quoted]: RegExpExecArray): PathPart | undefined {
  if (star !== undefined || inStar !== undefined) return ANY;
  if (quoted === undefined) return word ?? index;
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

/** Formats a path for display. */
export function formatPath(parts: readonly (string | number)[]): string {
  let text = '$';
  for (const part of parts) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
  }
  return text;
}

/** The value at a path without `*`. */
export function valueAt(value: Json, path: readonly PathPart[]): Json | undefined {
  let at: Json | undefined = value;
  for (const part of path) {
    if (part === ANY || typeof at !== 'object' || at === null) return undefined;
    at = Array.isArray(at) ? (/^\d+$/.test(part) ? at[Number(part)] : undefined) : own(at, part);
  }
  return at;
}
