// Reads one body of limited size. A larger body is read to its end and discarded, so that the client
// can read the response; far larger ones close the connection.
import type { IncomingMessage } from 'node:http';
import { MAX_REQUEST_BYTES } from '#shared/limits.ts';

const DISCARD_LIMIT = 32 * MAX_REQUEST_BYTES;

/** Null if the body is larger than `maxBytes`. */
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
