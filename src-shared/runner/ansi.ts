// Parses ANSI escape sequences. Colours and text attributes are preserved; all other sequences (cursor
// movement, titles, links, bells) are dropped.

export interface TextStyle {
  /** 0–7 as terminals number them, 8–15 for the bright ones, or `#rrggbb`. */
  readonly colour?: number | string;
  readonly bold?: true;
  readonly dim?: true;
  readonly italic?: true;
  readonly underline?: true;
}

export const PLAIN: TextStyle = {};

export type AnsiToken =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'style'; readonly parameters: readonly number[] };

const ESC = '\u001b';
const BEL = '\u0007';

/** One escape sequence, or one control character other than newline, return and tab. */
const ESCAPE = new RegExp(
  [
    `${ESC}\\[[0-?]*[ -/]*[@-~]`,
    `${ESC}[\\]PX^_][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)`,
    `${ESC}[ -/]*[0-~]`,
    `[^\\P{Cc}\\n\\r\\t${ESC}]`,
  ].join('|'),
  'gu',
);
const STYLE = new RegExp(`^${ESC}\\[([\\d;]*)m$`);
/** The start of an incomplete sequence at the end of the text. */
const UNFINISHED = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*|[\\]PX^_][^${BEL}${ESC}]*${ESC}?|[ -/]*)$`);
/** A longer one is not a sequence, and must not hold back the text after it. */
const MAX_UNFINISHED = 4096;

/** The index of an incomplete sequence at the end, or the length of the text. */
export function finishedLength(text: string): number {
  const at = UNFINISHED.exec(text)?.index ?? text.length;
  return text.length - at > MAX_UNFINISHED ? text.length : at;
}

export function tokenize(text: string): AnsiToken[] {
  const tokens: AnsiToken[] = [];
  let at = 0;
  const add = (part: string): void => {
    // Drops escape characters that start no known sequence.
    const shown = part.replaceAll('\u001b', '');
    if (shown !== '') tokens.push({ type: 'text', text: shown });
  };
  for (const match of text.matchAll(ESCAPE)) {
    add(text.slice(at, match.index));
    at = match.index + match[0].length;
    const style = STYLE.exec(match[0]);
    if (style) {
      tokens.push({ type: 'style', parameters: (style[1] ?? '').split(';').map(Number) });
    }
  }
  add(text.slice(at));
  return tokens;
}

export function restyle(style: TextStyle, parameters: readonly number[]): TextStyle {
  let next: Mutable = { ...style };
  for (let at = 0; at < parameters.length; at += 1) {
    const code = parameters[at] ?? 0;
    if (code === 38 || code === 48) {
      const { colour, length } = extendedColour(parameters.slice(at + 1));
      if (code === 38 && colour !== undefined) next.colour = colour;
      at += length;
    } else next = applyCode(next, code);
  }
  return next;
}

type Mutable = { -readonly [Key in keyof TextStyle]: TextStyle[Key] };

function applyCode(style: Mutable, code: number): Mutable {
  if (code === 0) return {};
  const next = { ...style };
  if (code === 1) next.bold = true;
  else if (code === 2) next.dim = true;
  else if (code === 3) next.italic = true;
  else if (code === 4) next.underline = true;
  else if (code === 22) {
    delete next.bold;
    delete next.dim;
  } else if (code === 23) delete next.italic;
  else if (code === 24) delete next.underline;
  else if (code >= 30 && code <= 37) next.colour = code - 30;
  else if (code >= 90 && code <= 97) next.colour = code - 90 + 8;
  else if (code === 39) delete next.colour;
  return next;
}

function extendedColour(rest: readonly number[]): {
  readonly colour?: number | string;
  readonly length: number;
} {
  const [kind, ...values] = rest;
  if (kind === 5) return { colour: indexed(values[0] ?? 0), length: 2 };
  if (kind === 2) return { colour: hex(values.slice(0, 3)), length: 4 };
  return { length: rest.length };
}

/** The 256-colour palette: 16 standard colours, a cube of 216 and 24 greys. */
function indexed(index: number): number | string {
  if (index < 16) return index;
  if (index >= 232) return hex(Array.from({ length: 3 }, () => 8 + (index - 232) * 10));
  const cube = index - 16;
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40);
  return hex([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level));
}

function hex(parts: readonly number[]): string {
  const two = (part = 0): string =>
    Math.min(255, Math.max(0, Math.trunc(part) || 0))
      .toString(16)
      .padStart(2, '0');
  return `#${two(parts[0])}${two(parts[1])}${two(parts[2])}`;
}
