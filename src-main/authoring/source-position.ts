// Finds the position of something in a source file without parsing it: each hint is searched after the
// one before. A plain hint is a key or a string, a quoted hint a string, one that ends with "(" a call.
import type { Problem } from '#main/sandbox/strip-types.ts';

export type Place = Pick<Problem, 'line' | 'column'>;

/** 1:1 if no hint is found. */
export function locate(source: string, ...hints: readonly string[]): Place {
  const text = blankComments(source);
  let at = -1;
  for (const hint of hints) {
    const found = find(text, hint, at + 1);
    if (found >= 0) at = found;
  }
  return placeOf(source, Math.max(at, 0));
}

export const quoted = (text: string): string => `'${text}'`;

export function placeOf(source: string, index: number): Place {
  const before = source.slice(0, index);
  return {
    line: before.split('\n').length,
    column: index - before.lastIndexOf('\n'),
  };
}

function find(text: string, hint: string, from: number): number {
  const match = new RegExp(patternOf(hint), 'g');
  match.lastIndex = from;
  return match.exec(text)?.index ?? -1;
}

function patternOf(hint: string): string {
  if (hint.endsWith('(')) return `(?<![\\w$.])${escape(hint.slice(0, -1))}\\s*\\(`;
  const isText = hint.startsWith("'");
  const name = escape(isText ? hint.slice(1, -1) : hint);
  const asText = `(['"\`])${name}\\1`;
  return isText ? asText : `${asText}|(?<![\\w$.])${name}(?=\\s*[:(,}\\n])`;
}

const escape = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** Replaces comments by spaces, so that hints don't match inside them and positions stay. */
export function blankComments(source: string): string {
  return source.replaceAll(
    /(['"`])(?:\\.|(?!\1)[^\\])*?\1|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (part: string, quote: string | undefined) =>
      quote === undefined ? part.replaceAll(/[^\n]/g, ' ') : part,
  );
}
