// The line with which a person goes back to a backup.
import { shellQuote } from '#renderer/format/shell-quote.ts';

/** Plain words where the shell would take them as they are: most paths are. */
const quoteIfNeeded = (text: string): string =>
  /^[\w./:@+-]+$/.test(text) ? text : shellQuote(text);

/** Of Windows: there a path has backslashes, and the shells know double quotes only. */
const isWindows = (path: string): boolean => /^[A-Za-z]:\\/.test(path);

export function restoreCommand(file: string, dataDir: string): string {
  const quoted = isWindows(file) ? (path: string) => `"${path}"` : quoteIfNeeded;
  return `holdfast restore ${quoted(file)} --data ${quoted(dataDir)}`;
}
