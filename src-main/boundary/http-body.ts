// Reads one JSON body of limited size.
import type { IncomingMessage } from 'node:http';
import { readRawBody } from '#main/boundary/http-raw-body.ts';
import type { ApiErrorBody } from '#shared/api/errors.ts';
import { parseExactJson } from '#shared/exact-json.ts';
import { MAX_REQUEST_BYTES } from '#shared/limits.ts';

export type Body =
  | { readonly ok: true; readonly value: unknown; readonly text: string }
  | { readonly ok: false; readonly error: ApiErrorBody };

export async function readJsonBody(request: IncomingMessage): Promise<Body> {
  const body = await readRawBody(request, MAX_REQUEST_BYTES);
  if (body === null) {
    return refuse(
      'too_large',
      `The body is larger than ${MAX_REQUEST_BYTES} bytes. Nothing was written. Put large content in a file.`,
    );
  }
  return parseJson(body.toString('utf8'));
}

export function parseJson(text: string): Body {
  try {
    return { ok: true, value: parseExactJson(text), text };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refuse('invalid_input', `Invalid JSON: ${why}. Nothing was written.`);
  }
}

function refuse(type: ApiErrorBody['type'], message: string): Body {
  return { ok: false, error: { type, message } };
}
