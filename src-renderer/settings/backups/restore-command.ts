// The command that restores a backup.
import { shellQuote } from '#renderer/format/shell-quote.ts';

/** Quotes only if needed; most paths aren't quoted. */
const quoteIfNeeded = (text: string): string =>
  /^[\w./:@+-]+$/.test(text) ? text : shellQuote(text);

/** Windows paths have backslashes, and its shells know only double quotes. */
const isWindows = (path: string): boolean => /^[A-Za-z]:\\/.test(path);

export function restoreCommand(file: string, dataDir: string): string {
  const quoted = isWindows(file) ? (path: string) => `"${path}"` : quoteIfNeeded;
  return `holdfast restore ${quoted(file)} --data ${quoted(dataDir)}`;
}
