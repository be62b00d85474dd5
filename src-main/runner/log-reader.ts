// Reads a part of a log by byte offset. Parts start and end at character and mark boundaries, so
// consecutive parts concatenate to the log.
import { open } from 'node:fs/promises';
import { wholeLength } from '#shared/runner/log-text.ts';

export interface LogPart {
  readonly offset: number;
  readonly nextOffset: number;
  readonly endOffset: number;
  readonly data: string;
}

export interface LogRange {
  readonly offset: number;
  readonly limit: number;
  /** The log is complete, so an incomplete character at its end is returned too. */
  readonly isFinal: boolean;
}

export async function readLogPart(path: string, range: LogRange): Promise<LogPart> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return emptyPart(0);
  try {
    const { size } = await file.stat();
    if (range.offset >= size) return emptyPart(size);
    const wanted = Math.min(range.limit, size - range.offset);
    const buffer = Buffer.allocUnsafe(wanted);
    const { bytesRead } = await file.read(buffer, 0, wanted, range.offset);
    const bytes = buffer.subarray(0, bytesRead);
    const isEnd = range.isFinal && range.offset + bytesRead === size;
    const shown = isEnd ? bytesRead : wholeLength(bytes);
    return {
      offset: range.offset,
      nextOffset: range.offset + shown,
      endOffset: size,
      data: bytes.toString('utf8', 0, shown),
    };
  } finally {
    await file.close();
  }
}

function emptyPart(end: number): LogPart {
  return { offset: end, nextOffset: end, endOffset: end, data: '' };
}
