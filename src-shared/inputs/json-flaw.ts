// Finds the position of a JSON syntax error, which `JSON.parse` reports only sometimes. The scanner
// does not recurse, so deep nesting cannot overflow the stack.

export interface JsonFlaw {
  /** Character offset from 0. */
  readonly position: number;
  readonly line: number;
  readonly column: number;
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER_OR_WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const FIRST_UNESCAPED = 0x20;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end';

/** For text that `JSON.parse` rejected. */
export function jsonFlaw(text: string): JsonFlaw {
  return locate(text, scan(text));
}

function scan(text: string): number {
  const open: ('[' | '{')[] = [];
  let expected: Expected = 'value';
  let at = skip(SPACE, text, 0) ?? 0;
  for (; at < text.length; at = skip(SPACE, text, at) ?? at) {
    const character = text[at] as string;
    const inside = open.at(-1);
    switch (expected) {
      case 'value':
      case 'value or ]': {
        if (character === '[' || character === '{') {
          open.push(character);
          expected = character === '[' ? 'value or ]' : 'key or }';
          at += 1;
          break;
        }
        if (character === ']' && expected === 'value or ]') {
          open.pop();
          expected = 'comma or end';
          at += 1;
          break;
        }
        const end = skipText(text, at) ?? skip(NUMBER_OR_WORD, text, at);
        if (end === null) return at;
        at = end;
        expected = 'comma or end';
        break;
      }
      case 'key':
      case 'key or }': {
        if (character === '}' && expected === 'key or }') {
          open.pop();
          expected = 'comma or end';
          at += 1;
          break;
        }
        const end = skipText(text, at);
        if (end === null) return at;
        at = end;
        expected = 'colon';
        break;
      }
      case 'colon':
        if (character !== ':') return at;
        expected = 'value';
        at += 1;
        break;
      case 'comma or end':
        if (character === ',' && inside !== undefined) expected = inside === '[' ? 'value' : 'key';
        else if (character === (inside === '[' ? ']' : '}') && inside !== undefined) open.pop();
        else return at;
        at += 1;
        break;
    }
  }
  return text.length;
}

/** The index after a quoted string, or null if there is none. */
function skipText(text: string, at: number): number | null {
  if (text[at] !== '"') return null;
  for (let index = at + 1; index < text.length; index += 1) {
    if (text[index] === '"') return index + 1;
    if (text.charCodeAt(index) < FIRST_UNESCAPED) return null;
    if (text[index] !== '\\') continue;
    const end = skip(ESCAPE, text, index);
    if (end === null) return null;
    index = end - 1;
  }
  return null;
}

/** The index after the match, or null. */
function skip(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  return match ? at + match[0].length : null;
}

function locate(text: string, position: number): JsonFlaw {
  const before = text.slice(0, position).split(/\r\n|\r|\n/);
  return { position, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
