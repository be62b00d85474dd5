// Verifies that the sender of a webhook knows its secret: GitHub and Stripe signatures over the raw
// bytes, or a bearer token. Comparisons take constant time, and no message repeats what was sent.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameToken } from '#main/boundary/token.ts';
import type { HookAuth } from '#shared/inputs/hook.ts';
import { SIGNATURE_TOLERANCE_S } from '#shared/limits.ts';
import { unreachable } from '#shared/rejection.ts';

export type SignatureFailure =
  | 'signature_missing'
  | 'signature_malformed'
  | 'signature_wrong'
  | 'signature_too_old'
  | 'signature_from_future'
  | 'secret_missing';

export type SignatureCheck =
  | { readonly ok: true }
  | { readonly ok: false; readonly name: SignatureFailure; readonly message: string };

export interface SignedRequest {
  readonly rawBody: Buffer;
  readonly headers: IncomingHttpHeaders;
}

/** `now` in milliseconds. */
export function verifySignature(
  scheme: HookAuth,
  request: SignedRequest,
  secret: string,
  now: number,
): SignatureCheck {
  // Anyone could sign with an empty secret.
  if (secret === '') {
    return refuse(
      'secret_missing',
      'This hook has no secret. Nothing was saved. Create one with "holdfast hook rotate".',
    );
  }
  switch (scheme.kind) {
    case 'github':
      return verifyGithub(request, secret);
    case 'stripe':
      return verifyStripe(request, secret, now, scheme.toleranceS ?? SIGNATURE_TOLERANCE_S);
    case 'bearer':
      return verifyBearer(request, secret);
    default:
      return unreachable(scheme);
  }
}

function verifyGithub({ rawBody, headers }: SignedRequest, secret: string): SignatureCheck {
  const header = headers['x-hub-signature-256'];
  if (header === undefined) return missing('X-Hub-Signature-256: sha256=…');
  const given = /^sha256=([0-9a-f]{64})$/i.exec(String(header))?.[1];
  if (given === undefined) return malformed('X-Hub-Signature-256', '"sha256=" and 64 hex digits');
  return isSame(hmac(secret, rawBody), Buffer.from(given, 'hex')) ? { ok: true } : wrong();
}

function verifyStripe(
  { rawBody, headers }: SignedRequest,
  secret: string,
  now: number,
  toleranceS: number,
): SignatureCheck {
  const header = headers['stripe-signature'];
  if (header === undefined) return missing('Stripe-Signature: t=…,v1=…');
  const parsed = parseStripe(String(header));
  if (!parsed) return malformed('Stripe-Signature', 'one "t=" in seconds and one "v1=" or more');
  const expected = hmac(secret, `${parsed.time}.`, rawBody);
  // Compares all of them, so that the time taken doesn't reveal which one matched.
  const matches = parsed.signatures.filter((signature) => isSame(expected, signature));
  // The signature first: without it the time could be anyone's.
  if (matches.length === 0) return wrong();
  const ageS = Math.floor(now / 1000) - Number(parsed.time);
  if (ageS > toleranceS) {
    return refuse(
      'signature_too_old',
      `The request was signed ${ageS} s ago; the limit is ${toleranceS} s. Nothing was saved. Send it again with a new signature.`,
    );
  }
  if (-ageS > toleranceS) {
    return refuse(
      'signature_from_future',
      `The request was signed ${-ageS} s in the future; the limit is ${toleranceS} s. Nothing was saved. Check the clocks of both computers.`,
    );
  }
  return { ok: true };
}

/** Ignores elements of other schemes (`v0` …), as Stripe documents. */
function parseStripe(
  header: string,
): { readonly time: string; readonly signatures: readonly Buffer[] } | undefined {
  const times: string[] = [];
  const signatures: Buffer[] = [];
  for (const element of header.split(',')) {
    const [, key, value = ''] = /^\s*(\w+)=(.*?)\s*$/.exec(element) ?? [];
    if (key === 't') times.push(value);
    if (key === 'v1' && /^[0-9a-f]{64}$/i.test(value)) signatures.push(Buffer.from(value, 'hex'));
  }
  const [time, another] = times;
  if (time === undefined || another !== undefined || !/^\d{1,15}$/.test(time)) return undefined;
  return signatures.length === 0 ? undefined : { time, signatures };
}

function verifyBearer({ headers }: SignedRequest, secret: string): SignatureCheck {
  if (headers.authorization === undefined) return missing('Authorization: Bearer …');
  const given = /^Bearer +(\S+)$/i.exec(headers.authorization)?.[1];
  if (given === undefined) return malformed('Authorization', '"Bearer" and a token');
  return isSameToken(given, secret) ? { ok: true } : wrongToken();
}

function hmac(secret: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const mac = createHmac('sha256', secret);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

function isSame(expected: Buffer, given: Buffer): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function missing(header: string): SignatureCheck {
  return refuse(
    'signature_missing',
    `This hook requires the header "${header}". Nothing was saved. Give the sender the secret of the hook.`,
  );
}

function malformed(header: string, shape: string): SignatureCheck {
  return refuse(
    'signature_malformed',
    `The header "${header}" must be ${shape}. Nothing was saved.`,
  );
}

function wrong(): SignatureCheck {
  return refuse(
    'signature_wrong',
    "The signature doesn't match the body and the hook's secret. Nothing was saved. Check the secret at the sender, and send the body exactly as it was signed.",
  );
}

function wrongToken(): SignatureCheck {
  return refuse(
    'signature_wrong',
    "The token doesn't match the hook's secret. Nothing was saved. Check the secret at the sender.",
  );
}

function refuse(name: SignatureFailure, message: string): SignatureCheck {
  return { ok: false, name, message };
}
