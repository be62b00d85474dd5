// Webhook signatures: GitHub's published test values, and Stripe's documented scheme.
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { verifySignature } from '#main/inputs/signature.ts';
import { hookAuthSchema, type HookAuth } from '#shared/inputs/hook.ts';

const NOW = Date.UTC(2026, 0, 1);
const NOW_S = NOW / 1000;
const BODY = Buffer.from('Hello, World!');

/** "ok" or the name of the failure. */
function check(
  scheme: HookAuth,
  headers: { readonly [name: string]: string },
  { secret = 'whsec_own', body = BODY, now = NOW } = {},
): string {
  const checked = verifySignature(scheme, { rawBody: body, headers }, secret, now);
  if (checked.ok) return 'ok';
  expect(checked.message).toMatch(/\.$/);
  expect(checked.message).not.toContain(secret === '' ? 'nothing to leak' : secret);
  return checked.name;
}

function hex(secret: string, ...parts: readonly (string | Buffer)[]): string {
  const mac = createHmac('sha256', secret);
  for (const part of parts) mac.update(part);
  return mac.digest('hex');
}

describe('GitHub signatures', () => {
  const github: HookAuth = { kind: 'github' };
  // The values of GitHub's page on validating deliveries.
  const secret = "It's a Secret to Everybody";
  const digits = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
  const signed = { 'x-hub-signature-256': `sha256=${digits}` };

  test('[SG-1] the published test values pass', () => {
    expect(check(github, signed, { secret })).toBe('ok');
    expect(
      check(github, { 'x-hub-signature-256': `sha256=${digits.toUpperCase()}` }, { secret }),
    ).toBe('ok');
  });

  test('[SG-1] a changed byte in body, secret or signature is refused', () => {
    expect(check(github, signed, { secret, body: Buffer.from('Hello, World?') })).toBe(
      'signature_wrong',
    );
    expect(check(github, signed, { secret, body: Buffer.concat([BODY, Buffer.from('\n')]) })).toBe(
      'signature_wrong',
    );
    expect(check(github, signed, { secret: `${secret} ` })).toBe('signature_wrong');
    for (let at = 0; at < digits.length; at += 1) {
      const other = digits[at] === '0' ? '1' : '0';
      const changed = digits.slice(0, at) + other + digits.slice(at + 1);
      expect(check(github, { 'x-hub-signature-256': `sha256=${changed}` }, { secret })).toBe(
        'signature_wrong',
      );
    }
  });

  test('[SG-1] the signature is over the raw bytes, not over decoded text', () => {
    const body = Buffer.from([0xff, 0x00, 0xc3, 0x28]);
    const good = { 'x-hub-signature-256': `sha256=${hex('whsec_own', body)}` };
    expect(check(github, good, { body })).toBe('ok');
    const asText = { 'x-hub-signature-256': `sha256=${hex('whsec_own', body.toString('utf8'))}` };
    expect(check(github, asText, { body })).toBe('signature_wrong');
  });

  test('[SG-4] a missing or malformed X-Hub-Signature-256 header is refused', () => {
    expect(check(github, {})).toBe('signature_missing');
    expect(check(github, { 'x-hub-signature': `sha1=${digits}` })).toBe('signature_missing');
    const shapes = ['', digits, `sha1=${digits}`, `sha256=${digits.slice(1)}`, `sha256=${digits}0`];
    // Node joins repeated headers.
    for (const shape of [
      ...shapes,
      `sha256=${digits}, sha256=${digits}`,
      `sha256=${'g'.repeat(64)}`,
    ]) {
      expect(check(github, { 'x-hub-signature-256': shape }, { secret }), shape).toBe(
        'signature_malformed',
      );
    }
  });
});

describe('Stripe signatures', () => {
  const stripe: HookAuth = { kind: 'stripe' };
  const sign = (timeS: number, secret = 'whsec_own', body = BODY): string =>
    hex(secret, `${timeS}.`, body);
  const header = (text: string): { 'stripe-signature': string } => ({ 'stripe-signature': text });

  test('[SG-2] the signature is over the time, a dot and the raw body', () => {
    expect(check(stripe, header(`t=${NOW_S},v1=${sign(NOW_S)}`))).toBe('ok');
    expect(check(stripe, header(`t=${NOW_S},v1=${hex('whsec_own', BODY)}`))).toBe(
      'signature_wrong',
    );
    expect(check(stripe, header(`t=${NOW_S + 1},v1=${sign(NOW_S)}`))).toBe('signature_wrong');
  });

  test('[SG-2] one matching signature of several is enough', () => {
    const other = sign(NOW_S, 'the new one');
    const both = [`v1=${other}`, `v1=${sign(NOW_S)}`];
    expect(check(stripe, header([`t=${NOW_S}`, ...both].join(',')))).toBe('ok');
    expect(check(stripe, header([`t=${NOW_S}`, ...both.toReversed()].join(',')))).toBe('ok');
    expect(check(stripe, header(`t=${NOW_S},v1=${other},v1=${other}`))).toBe('signature_wrong');
  });

  test('[SG-2] only v1 signatures are checked', () => {
    const good = sign(NOW_S);
    expect(check(stripe, header(`t=${NOW_S},v0=${good},v1=${good}`))).toBe('ok');
    expect(check(stripe, header(`t=${NOW_S},v0=${good}`))).toBe('signature_malformed');
    expect(check(stripe, header(`t=${NOW_S},v0=${good},v1=${'0'.repeat(64)}`))).toBe(
      'signature_wrong',
    );
  });

  test('[SG-3] the time tolerance is 300 s in both directions and configurable', () => {
    const at = (timeS: number, scheme: HookAuth = stripe): string =>
      check(scheme, header(`t=${timeS},v1=${sign(timeS)}`));
    expect(at(NOW_S - 300)).toBe('ok');
    expect(at(NOW_S - 301)).toBe('signature_too_old');
    expect(at(NOW_S + 300)).toBe('ok');
    expect(at(NOW_S + 301)).toBe('signature_from_future');
    expect(at(NOW_S - 11, { kind: 'stripe', toleranceS: 10 })).toBe('signature_too_old');
    expect(at(NOW_S - 900, { kind: 'stripe', toleranceS: 900 })).toBe('ok');
  });

  test('[SG-3] a wrong signature with an old time is reported as a wrong signature', () => {
    expect(check(stripe, header(`t=1,v1=${'0'.repeat(64)}`))).toBe('signature_wrong');
  });

  test('[SG-4] a missing or malformed Stripe-Signature header is refused', () => {
    const good = sign(NOW_S);
    expect(check(stripe, {})).toBe('signature_missing');
    const shapes = [
      '',
      ',',
      good,
      `v1=${good}`,
      `t=${NOW_S}`,
      `t=,v1=${good}`,
      `t=-1,v1=${good}`,
      `t=1e9,v1=${good}`,
      `t=${NOW_S}.0,v1=${good}`,
      `t=${'9'.repeat(400)},v1=${good}`,
      `t=${NOW_S},t=${NOW_S},v1=${good}`,
      `t=${NOW_S},v1=${good.slice(2)}`,
    ];
    for (const shape of shapes) {
      expect(check(stripe, header(shape)), shape).toBe('signature_malformed');
    }
  });
});

describe('bearer tokens', () => {
  const bearer: HookAuth = { kind: 'bearer' };

  test("[SG-5] only the hook's token passes", () => {
    expect(check(bearer, { authorization: 'Bearer whsec_own' })).toBe('ok');
    expect(check(bearer, { authorization: 'bearer whsec_own' })).toBe('ok');
    for (const token of ['Whsec_own', 'whsec_ow', 'whsec_owns', 'x']) {
      const checked = check(bearer, { authorization: `Bearer ${token}` });
      expect(checked, token).toBe('signature_wrong');
    }
  });

  test('[SG-4] a missing or malformed Authorization header is refused', () => {
    expect(check(bearer, {})).toBe('signature_missing');
    for (const text of ['', 'whsec_own', 'Basic whsec_own', 'Bearer', 'Bearer ', 'Bearer a b']) {
      expect(check(bearer, { authorization: text }), text).toBe('signature_malformed');
    }
  });
});

test('[SG-6] a hook without a secret refuses every request, with any scheme', () => {
  const time = { 'stripe-signature': `t=${NOW_S},v1=${hex('', `${NOW_S}.`, BODY)}` };
  const none = { secret: '' };
  expect(check({ kind: 'stripe' }, time, none)).toBe('secret_missing');
  const github = { 'x-hub-signature-256': `sha256=${hex('', BODY)}` };
  expect(check({ kind: 'github' }, github, none)).toBe('secret_missing');
  expect(check({ kind: 'bearer' }, { authorization: 'Bearer ' }, none)).toBe('secret_missing');
});

test('[SG-7] a scheme is one of three, without extra fields', () => {
  for (const scheme of [
    { kind: 'github' },
    { kind: 'stripe', toleranceS: 60 },
    { kind: 'bearer' },
  ]) {
    expect(hookAuthSchema.parse(scheme)).toEqual(scheme);
  }
  for (const scheme of [
    {},
    { kind: 'none' },
    { kind: 'github', secret: 'x' },
    { kind: 'stripe', toleranceS: 0 },
    { kind: 'stripe', toleranceS: 1e9 },
    { kind: 'stripe', toleranceS: Number.POSITIVE_INFINITY },
  ]) {
    expect(hookAuthSchema.safeParse(scheme).success, JSON.stringify(scheme)).toBe(false);
  }
});
