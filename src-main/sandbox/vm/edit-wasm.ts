// Two small edits of the QuickJS binary, because what we need is in it but not reachable:
// the function table is exported (for the hook that reports rejections nobody handles), and the
// least memory is ours to choose (it declares 16 MiB, a phase needs under one).

export interface EditedWasm {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the stack begins; it grows down, the heap lies above it. */
  readonly stackPointer: number;
}

export const TABLE_EXPORT = 'holdfastTable';

const IMPORTS = 2;
const GLOBALS = 6;
const EXPORTS = 7;
const KIND_FUNCTION = 0;
const KIND_TABLE = 1;
const KIND_MEMORY = 2;

export function editWasm(original: Uint8Array, leastPages: number): EditedWasm {
  const parts: Uint8Array[] = [original.subarray(0, 8)];
  let stackPointer = 0;
  const cursor = { bytes: original, at: 8 };
  while (cursor.at < original.length) {
    const from = cursor.at;
    const id = readByte(cursor);
    const length = readNumber(cursor);
    const body = original.subarray(cursor.at, cursor.at + length);
    cursor.at += length;
    if (id === GLOBALS) stackPointer = readStackPointer(body);
    if (id === IMPORTS) parts.push(section(id, withLeastMemory(body, leastPages)));
    else if (id === EXPORTS) parts.push(section(id, withTableExport(body)));
    else parts.push(original.subarray(from, cursor.at));
  }
  if (stackPointer === 0) throw new Error('This QuickJS binary has no stack pointer.');
  return { bytes: concat(parts), stackPointer };
}

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

function withTableExport(body: Uint8Array): Uint8Array {
  const cursor = { bytes: body, at: 0 };
  const count = readNumber(cursor);
  const name = new TextEncoder().encode(TABLE_EXPORT);
  return concat([
    number(count + 1),
    body.subarray(cursor.at),
    Uint8Array.of(name.length),
    name,
    Uint8Array.of(KIND_TABLE, 0),
  ]);
}

function withLeastMemory(body: Uint8Array, leastPages: number): Uint8Array {
  const cursor = { bytes: body, at: 0 };
  const count = readNumber(cursor);
  for (let index = 0; index < count; index += 1) {
    skipText(cursor);
    skipText(cursor);
    const kind = readByte(cursor);
    if (kind === KIND_FUNCTION) readNumber(cursor);
    else if (kind === KIND_MEMORY) {
      cursor.at += 1;
      const before = body.subarray(0, cursor.at);
      readNumber(cursor);
      return concat([before, number(leastPages), body.subarray(cursor.at)]);
    } else throw new Error(`This QuickJS binary imports something unexpected (kind ${kind}).`);
  }
  throw new Error('This QuickJS binary does not import its memory.');
}

/** The first global, `(mut i32) i32.const N`. */
function readStackPointer(body: Uint8Array): number {
  const cursor = { bytes: body, at: 0 };
  readNumber(cursor);
  const isMutableInt = readByte(cursor) === 0x7f && readByte(cursor) === 1;
  if (!isMutableInt || readByte(cursor) !== 0x41) return 0;
  return readNumber(cursor);
}

const section = (id: number, body: Uint8Array): Uint8Array =>
  concat([Uint8Array.of(id), number(body.length), body]);

function skipText(cursor: Cursor): void {
  const length = readNumber(cursor);
  cursor.at += length;
}

function readByte(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.at];
  if (byte === undefined) throw new Error('This QuickJS binary ends too early.');
  cursor.at += 1;
  return byte;
}

/** LEB128, as WebAssembly writes its numbers. */
function readNumber(cursor: Cursor): number {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = readByte(cursor);
    value |= (byte & 127) << shift;
    if (byte < 128) return value >>> 0;
  }
}

function number(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    const more = rest > 127;
    bytes.push((rest & 127) | (more ? 128 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return Uint8Array.from(bytes);
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
