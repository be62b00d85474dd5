// Derives the type, external id and title of a webhook from its headers and body, for lists and
// search. Secrets in them are redacted.
import type { IncomingHttpHeaders } from 'node:http';
import { redactText } from '#shared/inputs/secret-patterns.ts';
import { own, type Json } from '#shared/json.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';

export interface Described {
  readonly type: string;
  readonly externalId: string;
  readonly title: string;
}

export function describeDelivery(
  hookName: string,
  headers: IncomingHttpHeaders,
  body: Json,
  dedupKey: string,
): Described {
  const fields = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
  const event = headers['x-github-event'];
  const action = textOf(own(fields, 'action'));
  const type =
    typeof event === 'string'
      ? [event, action].filter((part) => part !== null).join('.')
      : (textOf(own(fields, 'type')) ?? textOf(own(fields, 'event')) ?? 'webhook');
  const delivery = headers['x-github-delivery'];
  const externalId =
    typeof delivery === 'string' ? delivery : (textOf(own(fields, 'id')) ?? dedupKey);
  const title = textOf(own(fields, 'title')) ?? `${hookName}: ${type} ${externalId}`;
  return { type: shown(type), externalId: shown(externalId), title: shown(title) };
}

function textOf(value: Json | undefined): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function shown(text: string): string {
  return redactText(text, () => undefined)
    .slice(0, MAX_NAME_LENGTH)
    .toWellFormed();
}
