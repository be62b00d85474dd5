// What a workflow writes to make an HTTP call. Secrets are named, never written out; headers that
// decide how the request is read on the wire, or whom it is from, are ours.
import { z } from 'zod';
import { json } from '#shared/json-field.ts';
import {
  DEFAULT_TIMEOUT_MS,
  MAX_CONTENT_BYTES,
  MAX_TIMEOUT_MS,
  MAX_URL_LENGTH,
} from '#main/tools/limits.ts';
import type { Json } from '#shared/json.ts';

const OUR_HEADERS = [
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'accept-encoding',
  'idempotency-key',
];
const SECRET_HEADERS = ['authorization', 'proxy-authorization'];

export const httpUrl = z
  .string()
  .max(MAX_URL_LENGTH)
  .superRefine((text, context) => {
    const url = URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol)) {
      context.addIssue('must be an address that begins with https:// or http://');
    } else if (url.username !== '' || url.password !== '') {
      context.addIssue('must not hold a name or password; use auth with the name of a secret');
    }
  });

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/, 'is not a header name');

const secretHeaderName = headerName.superRefine((name, context) => {
  if (OUR_HEADERS.includes(name.toLowerCase())) context.addIssue(`"${name}" is set by Holdfast`);
});

const freeHeaderName = secretHeaderName.superRefine((name, context) => {
  if (!SECRET_HEADERS.includes(name.toLowerCase())) return;
  context.addIssue(`"${name}" holds a secret; use auth: { bearerSecret: 'name of the secret' }`);
});

const headerValue = z
  .string()
  .max(8192)
  .regex(/^[\t\u0020-\u007e\u0080-\u00ff]*$/, 'has characters that a header cannot carry');

const secretName = z.string().min(1).max(100);

const auth = z.union([
  z.strictObject({ bearerSecret: secretName }),
  /** Its value is `user:password`. */
  z.strictObject({ basicSecret: secretName }),
  z.strictObject({ headerSecrets: z.record(secretHeaderName, secretName) }),
]);
export type Auth = z.infer<typeof auth>;

const status = z.int().min(200).max(599);
const queryValue = z.union([z.string(), z.number(), z.boolean()]);

const request = {
  url: httpUrl,
  headers: z.record(freeHeaderName, headerValue).optional(),
  query: z.record(z.string(), z.union([queryValue, z.array(queryValue)])).optional(),
  auth: auth.optional(),
  timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).default(DEFAULT_TIMEOUT_MS),
  /** The answers that mean success, where 2xx does not say it. */
  expect: z.array(status).min(1).optional(),
};

const condition = z
  .strictObject({
    /** 2xx where it is left out. */
    status: z.array(status).min(1).optional(),
    /** Into the JSON of the answer: `order.items.0.id`. */
    jsonPath: z
      .string()
      .regex(/^[^.]+(?:\.[^.]+)*$/, 'must be names joined by dots')
      .optional(),
    /** `{effectId}` in a text stands for the effect id. */
    equals: json.optional(),
    exists: z.literal(true).optional(),
  })
  .refine((when) => when.status !== undefined || when.jsonPath !== undefined, {
    error: 'needs status or jsonPath',
  })
  .refine((when) => (when.jsonPath !== undefined) === ('equals' in when || 'exists' in when), {
    error: 'jsonPath goes with equals or exists',
  });
export type Condition = z.infer<typeof condition>;

const reconcile = z.strictObject({
  /** `{effectId}` in it stands for the effect id. */
  url: httpUrl,
  method: z.literal('GET').default('GET'),
  /** The header, or the query parameter, that carries the effect id. */
  header: freeHeaderName.optional(),
  query: z.string().min(1).optional(),
  /** As in the call where it is left out. */
  auth: auth.optional(),
  happenedWhen: condition,
  didNotHappenWhen: condition.optional(),
  /** How long after sending "it is not there" may still mean "not yet". */
  settleMs: z.int().min(0).max(86_400_000).optional(),
});
export type Reconcile = z.infer<typeof reconcile>;

export const readParams = z.strictObject(request);
export type ReadParams = z.infer<typeof readParams>;

export const mutationParams = z
  .strictObject({
    ...request,
    json: json.optional(),
    text: z.string().optional(),
    reconcile: reconcile.optional(),
  })
  .refine((params) => params.json === undefined || params.text === undefined, {
    error: 'json and text exclude each other',
    path: ['json'],
  })
  .refine((params) => Buffer.byteLength(bodyText(params) ?? '') <= MAX_CONTENT_BYTES, {
    error: `the body is larger than ${MAX_CONTENT_BYTES} bytes`,
    path: ['json'],
  });
export type MutationParams = z.infer<typeof mutationParams>;

export function bodyText(params: {
  readonly json?: Json | undefined;
  readonly text?: string | undefined;
}): string | null {
  if (params.json !== undefined) return JSON.stringify(params.json);
  return params.text ?? null;
}
