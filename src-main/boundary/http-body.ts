// Reads one JSON body within limits. What is too large is read to its end and thrown away, so
// that the client gets to read the answer; beyond reason the connection is cut.
import type { IncomingMessage } from 'node:http';
import type { ApiErrorBody } from '#shared/api/errors.ts';
import { MAX_REQUEST_BYTES } from '#shared/limits.ts';

const DISCARD_LIMIT = 32 * MAX_REQUEST_BYTES;

export type Body =
  | { readonly ok: true; readonly value: unknown; readonly text: string }
  | { readonly ok: false; readonly error: ApiErrorBody };

export async function readJsonBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_REQUEST_BYTES) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > DISCARD_LIMIT) {
      request.destroy();
      break;
    }
  }
  if (bytes > MAX_REQUEST_BYTES) {
    return refuse(
      'too_large',
      `The body is larger than the ${MAX_REQUEST_BYTES} bytes that one call may have. Nothing was written. Put large content in a file.`,
    );
  }
  return parseJson(Buffer.concat(chunks).toString('utf8'));
}

export function parseJson(text: string): Body {
  try {
    return { ok: true, value: JSON.parse(text) as unknown, text };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refuse('invalid_input', `The body is not JSON: ${why}. Nothing was written.`);
  }
}

function refuse(type: ApiErrorBody['type'], message: string): Body {
  return { ok: false, error: { type, message } };
}
