// Params of an HTTP call. Secrets are referenced by name. Headers that decide framing or identity
// are set by Holdfast.
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
      context.addIssue('must be an address that starts with https:// or http://');
    } else if (url.username !== '' || url.password !== '') {
      context.addIssue(
        'must not contain a user name or password; use auth with the name of a secret',
      );
    }
  });

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/, 'is not a header name');

const secretHeaderName = headerName.superRefine((name, context) => {
  if (OUR_HEADERS.includes(name.toLowerCase())) context.addIssue(`"${name}" is set by Holdfast`);
});

const freeHeaderName = secretHeaderName.superRefine((name, context) => {
  if (!SECRET_HEADERS.includes(name.toLowerCase())) return;
  context.addIssue(`"${name}" contains a secret; use auth: { bearerSecret: 'name of the secret' }`);
});

const headerValue = z
  .string()
  .max(8192)
  .regex(/^[\t\u0020-\u007e\u0080-\u00ff]*$/, 'has characters that are not allowed in a header');

const secretName = z.string().min(1).max(100);

const auth = z.union([
  z.strictObject({ bearerSecret: secretName }),
  /** Its value is `user:password`. */
  z.strictObject({ basicSecret: secretName }),
  z.strictObject({ headerSecrets: z.record(secretHeaderName, secretName) }),
]);
export type Auth = z.infer<typeof auth>;

const jsonPath = z.string().regex(/^[^.]+(?:\.[^.]+)*$/, 'must be names joined by dots');

/** A part of the cost: a price per call, or dollars for each unit of a value in the response. */
const costPart = z
  .strictObject({
    usd: z.number().min(0).max(1_000_000).optional(),
    jsonPath: jsonPath.optional(),
    header: headerName.optional(),
  })
  .refine((part) => part.jsonPath === undefined || part.header === undefined, {
    error: 'jsonPath and header are mutually exclusive',
  })
  .refine((part) => Object.values(part).some((field) => field !== undefined), {
    error: 'needs usd, jsonPath or header',
  });
export type HttpCostPart = z.infer<typeof costPart>;

const status = z.int().min(200).max(599);
const queryValue = z.union([z.string(), z.number(), z.boolean()]);

const request = {
  url: httpUrl,
  headers: z.record(freeHeaderName, headerValue).optional(),
  query: z.record(z.string(), z.union([queryValue, z.array(queryValue)])).optional(),
  auth: auth.optional(),
  timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).default(DEFAULT_TIMEOUT_MS),
  /** Statuses that mean success, if not all of 2xx. */
  expect: z.array(status).min(1).optional(),
  /** The cost of the call. */
  cost: z.union([costPart, z.array(costPart).min(1).max(20)]).optional(),
};

const condition = z
  .strictObject({
    /** Default: 2xx. */
    status: z.array(status).min(1).optional(),
    /** A path into the JSON response: `order.items.0.id`. */
    jsonPath: jsonPath.optional(),
    /** `{effectId}` in a text is replaced by the effect id. */
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
  /** `{effectId}` in it is replaced by the effect id. */
  url: httpUrl,
  method: z.literal('GET').default('GET'),
  /** The header or query parameter for the effect id. */
  header: freeHeaderName.optional(),
  query: z.string().min(1).optional(),
  /** Default: as in the call. */
  auth: auth.optional(),
  happenedWhen: condition,
  didNotHappenWhen: condition.optional(),
  /** How long a negative check may still mean "not yet": time awake since the doubt arose. */
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
    error: 'json and text are mutually exclusive',
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
