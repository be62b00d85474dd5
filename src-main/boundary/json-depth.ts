// The nesting depth of JSON text, without parsing it. The limit is below those of JSON parsers and
// SQLite, so a value that passes here passes there.

export function isDeeper(text: string, most: number): boolean {
  // Each level has an opening and a closing bracket.
  if (text.length <= most * 2) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === BACKSLASH) at += 1;
      else if (char === QUOTE) inString = false;
    } else if (char === QUOTE) inString = true;
    else if (char === OPEN_LIST || char === OPEN_OBJECT) {
      depth += 1;
      if (depth > most) return true;
    } else if (char === CLOSE_LIST || char === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
