// Reads the bytes of one body within a limit. What is too large is read to its end and thrown away,
// so that the client gets to read the answer; beyond reason the connection is cut.
import type { IncomingMessage } from 'node:http';
import { MAX_REQUEST_BYTES } from '#shared/limits.ts';

const DISCARD_LIMIT = 32 * MAX_REQUEST_BYTES;

/** Null: it is larger than `maxBytes`. */
export async function readRawBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > DISCARD_LIMIT) {
      request.destroy();
      break;
    }
  }
  return bytes > maxBytes ? null : Buffer.concat(chunks);
}
