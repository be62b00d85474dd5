// Finds where the members of a gzip file end (RFC 1952). Only for members that `gzipSync` wrote: their
// header has no optional fields.
import { crc32, inflateRawSync } from 'node:zlib';

const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const MAGIC = Buffer.from([0x1f, 0x8b, 0x08, 0x00]);

/**
 * The length of the whole members at the beginning of a file. Null if a whole member follows a broken one:
 * then the file was damaged, and nothing may be cut off.
 */
export function wholeMembers(file: Buffer): number | null {
  let end = 0;
  for (let next = endOfMember(file, 0); next !== null; next = endOfMember(file, end)) end = next;
  for (let at = file.indexOf(MAGIC, end + 1); at !== -1; at = file.indexOf(MAGIC, at + 1)) {
    if (endOfMember(file, at) !== null) return null;
  }
  return end;
}

/** Null if no whole member begins here. */
function endOfMember(file: Buffer, at: number): number | null {
  if (!file.subarray(at, at + MAGIC.length).equals(MAGIC)) return null;
  try {
    const { buffer, engine } = inflateRawSync(file.subarray(at + HEADER_BYTES), {
      info: true,
    }) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    const end = at + HEADER_BYTES + engine.bytesWritten + TRAILER_BYTES;
    if (end > file.length) return null;
    const isWhole =
      file.readUInt32LE(end - TRAILER_BYTES) === crc32(buffer) &&
      file.readUInt32LE(end - TRAILER_BYTES / 2) === buffer.length;
    return isWhole ? end : null;
  } catch {
    return null;
  }
}
