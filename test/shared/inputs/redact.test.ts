// Redaction of inputs.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redact, redactPathsSchema } from '#shared/inputs/redact.ts';
import { isJson, type Json, type JsonObject } from '#shared/json.ts';
import { MAX_INPUT_DEPTH, MAX_REDACTED_LISTED } from '#shared/limits.ts';

const without = (value: Json, ...paths: string[]): Json => redact(value, { paths }).value;
const listed = (value: Json, ...paths: string[]): string[] =>
  redact(value, { paths }).redacted.map(({ path, why }) => `${path}: ${why}`);

/** Assembled at run time, so that secret scanners do not report this file. */
const letters = (count: number): string => 'a1B2c3D4e5'.repeat(9).slice(0, count);
const SECRETS: { readonly [why: string]: string } = {
  jwt: `eyJ${letters(20)}.eyJ${letters(30)}.${letters(43)}`,
  'aws-key': ['AKIA', 'ABCDEFGH12345678'].join(''),
  'github-token': `ghp_${letters(36)}`,
  'gitlab-token': `glpat-${letters(20)}`,
  'slack-token': `xoxb-${letters(24)}`,
  'stripe-key': `sk_live_${letters(24)}`,
  'google-key': `AIza${letters(35)}`,
  'npm-token': `npm_${letters(36)}`,
  'api-key': `sk-${letters(40)}`,
  'private-key': `-----BEGIN RSA PRIVATE KEY-----\n${letters(64)}\n${letters(64)}\n-----END RSA PRIVATE KEY-----`,
};
const WITH_CONTEXT: readonly [why: string, before: string, secret: string, after: string][] = [
  ['bearer-token', 'Authorization: Bearer ', letters(32), ' and so on'],
  ['authorization', 'Authorization: Basic ', 'dXNlcjpwYXNz', ''],
  ['url-credentials', 'postgres://', 'admin:hunter2hunter2', '@db.example:5432/main?x=y@z'],
  ['url-credentials', 'https://', ':onlyapassword', '@example.com'],
  ['assigned-secret', 'password=', 'hunter2hunter2', '&user=ada'],
  ['assigned-secret', 'https://example.com/?access_token=', 'abcdefgh', '&page=2'],
  ['assigned-secret', '{"api_key": "', 'correct horse battery', '"}'],
  ['assigned-secret', '{\\"clientSecret\\":\\"', 'hunter2hunter2', '\\"}'],
];

describe('secrets by format', () => {
  test.each(Object.entries(SECRETS))(
    '[RD-1] redacts a %s alone and in a sentence',
    (why, secret) => {
      expect(without(secret)).toBe(`•••(${why})`);
      expect(without(`Use ${secret} for it.`)).toBe(`Use •••(${why}) for it.`);
      expect(without([{ text: `"${secret}"` }])).toEqual([{ text: `"•••(${why})"` }]);
      expect(listed({ text: [secret, `${secret} ${secret}`] })).toEqual([
        `$.text[0]: ${why}`,
        `$.text[1]: ${why}`,
        `$.text[1]: ${why}`,
      ]);
    },
  );

  test.each(WITH_CONTEXT)('[RD-1] redacts %s after %s', (why, before, secret, after) => {
    expect(without(before + secret + after)).toBe(`${before}•••(${why})${after}`);
  });

  test('[RD-1] a truncated private key is redacted to the end of the text', () => {
    const cut = (SECRETS['private-key'] as string).slice(0, 100);
    expect(without(`key:\n${cut}`)).toBe('key:\n•••(private-key)');
  });

  test('[RD-1] secrets in keys are redacted, and two keys stay two', () => {
    const [first, second] = [`ghp_${letters(36)}`, `ghp_${letters(35)}9`];
    const value = { [first]: 1, [second]: 2, '•••(github-token)': 3 };
    expect(without(value)).toEqual({
      '•••(github-token)': 1,
      '•••(github-token) 2': 2,
      '•••(github-token) 3': 3,
    });
    expect(listed(value)).toEqual([
      '$["•••(github-token)"]: github-token as key',
      '$["•••(github-token) 2"]: github-token as key',
    ]);
  });

  test.each([
    'The bearer understands the basic introduction.',
    'Send the token to the secretary: she knows.',
    'https://user@example.com/path:with@sign',
    'mailto:ada@example.com',
    'e5b7c1d2-5f2a-4f0e-9d4b-1a2b3c4d5e6f',
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'task-list-with-many-words-and-a-very-long-name-in-it',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    'eyJust a word. With dots. And so on.',
  ])('[RD-1] %j is not redacted', (text) => {
    expect(redact(text, { paths: [] })).toEqual({ value: text, redacted: [] });
  });
});

describe('payment cards', () => {
  // Test numbers published by the issuers.
  const cards = [
    '4242424242424242',
    '4222222222222',
    '5555555555554444',
    '2223003122003222',
    '378282246310005',
    '6011111111111117',
    '30569309025904',
    '3530111333300000',
    '6205500000000000004',
  ];

  test.each(cards)('[RD-2] redacts %s with and without separators', (card) => {
    const grouped = card.replaceAll(/(\d{4})(?=\d)/g, '$1 ');
    const hyphens = card.replaceAll(/(\d{4})(?=\d)/g, '$1-');
    for (const text of [card, grouped, hyphens]) {
      expect(without(text)).toBe('•••(card-number)');
      expect(without(`Pay 12 with ${text}, 07/29`)).toBe('Pay 12 with •••(card-number), 07/29');
      expect(without(`12 ${text} 3`)).toBe('12 •••(card-number) 3');
    }
  });

  test('[RD-2] redacts a card number stored as a JSON number', () => {
    const value = { card: { number: 4242424242424242 } };
    expect(without(value)).toEqual({ card: { number: '•••(card-number)' } });
    expect(listed(value)).toEqual(['$.card.number: card-number']);
  });

  test('[RD-2] a wrong check digit, issuer or length is not redacted', () => {
    for (const text of [
      '4242424242424241',
      '9242424242424242',
      '42424242424242',
      '1767225600000',
    ]) {
      expect(without(text)).toBe(text);
      expect(without(Number(text))).toBe(Number(text));
    }
    const inside = '94242424242424242';
    expect(without(inside)).toBe(inside);
  });
});

describe('secrets by field name', () => {
  test.each([
    'password',
    'Password',
    'user_password',
    'passwordHash',
    'password2',
    'clientSecret',
    'CLIENT_SECRET',
    'access_token',
    'accesstoken',
    'X-Api-Key',
    'privateKey',
    'Authorization',
    'Set-Cookie',
    'cvc',
    'credentials',
  ])('[RD-3] redacts the value of %s', (name) => {
    expect(without({ [name]: 'x' })).toEqual({ [name]: '•••(secret-name)' });
    expect(without({ [name]: 1234 })).toEqual({ [name]: '•••(secret-name)' });
    expect(without({ a: [{ [name]: { nested: ['x'] } }] })).toEqual({
      a: [{ [name]: '•••(secret-name)' }],
    });
  });

  test.each([
    'token_type',
    'tokens_used',
    'secretary',
    'spinning',
    'keyboard',
    'author',
    'cookies_ok',
  ])('[RD-3] does not redact the value of %s', (name) =>
    expect(without({ [name]: 'x' })).toEqual({ [name]: 'x' }),
  );

  test('[RD-3] null, an empty string and booleans stay', () => {
    const value = { password: null, token: '', hasPassword: true };
    expect(redact(value, { paths: [] })).toEqual({ value, redacted: [] });
  });
});

describe('configured paths', () => {
  const order = {
    customer: { iban: 'DE1', name: 'Ada' },
    items: [{ note: 'a' }, { note: 'b', n: 1 }],
  };

  test('[RD-4] redacts the values at the paths and nothing else', () => {
    expect(without(order, 'customer.iban', 'items.*.note')).toEqual({
      customer: { iban: '•••(named-path)', name: 'Ada' },
      items: [{ note: '•••(named-path)' }, { note: '•••(named-path)', n: 1 }],
    });
    expect(listed(order, 'customer.iban', 'items[1].note')).toEqual([
      '$.customer.iban: named-path',
      '$.items[1].note: named-path',
    ]);
    expect(without(order, 'customer', '$.items[*].n')).toMatchObject({
      customer: '•••(named-path)',
    });
    expect(without(order, '*.*')).toEqual({
      customer: { iban: '•••(named-path)', name: '•••(named-path)' },
      items: ['•••(named-path)', '•••(named-path)'],
    });
    expect(without({ a: true, b: 0, c: null }, '*')).toEqual({
      a: '•••(named-path)',
      b: '•••(named-path)',
      c: null,
    });
    expect(without(order, 'nothing.here', 'items.note', 'customer.iban.x')).toEqual(order);
  });

  test('[RD-4] an invalid path is an error', () => {
    expect(() => redact({}, { paths: ['a..b'] })).toThrow('is invalid');
    expect(redactPathsSchema.safeParse(['a.*.b', '$["x y"]']).success).toBe(true);
    for (const paths of [['a..b'], [''], ['$'], [1], Array.from({ length: 201 }, () => 'a')]) {
      expect(redactPathsSchema.safeParse(paths).success).toBe(false);
    }
  });
});

describe('hostile input', () => {
  const nested = (levels: number): Json =>
    JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`) as Json;

  test('[RD-7] values beyond the depth limit are redacted at any depth', () => {
    for (const levels of [MAX_INPUT_DEPTH + 1, 100_000]) {
      const { value, redacted } = redact(nested(levels), { paths: [] });
      expect(JSON.stringify(value)).toContain('•••(nested-too-deep)');
      expect(redacted).toEqual([
        { path: `$${'[0]'.repeat(MAX_INPUT_DEPTH)}`, why: 'nested-too-deep' },
      ]);
    }
    expect(redact(nested(MAX_INPUT_DEPTH), { paths: [] }).redacted).toEqual([]);
  });

  test('[RD-7] __proto__ is removed and changes no prototype', () => {
    const value = JSON.parse('{"a":{"__proto__":{"admin":true},"b":1},"constructor":2}') as Json;
    const result = redact(value, { paths: ['a.__proto__', 'constructor.x'] });
    expect(JSON.stringify(result.value)).toBe('{"a":{"b":1},"constructor":2}');
    expect((result.value as { a: { admin?: boolean } }).a.admin).toBeUndefined();
    expect(result.redacted).toEqual([{ path: '$.a.__proto__', why: 'key-not-kept' }]);
  });

  test('[RD-7] [RD-6] text with too many nested secrets is redacted as a whole', () => {
    // Each secret hides the start of the next one until it is redacted.
    const link = `${SECRETS['npm-token']}${SECRETS['aws-key']}`;
    expect(without(link)).toBe('•••(npm-token)•••(aws-key)');
    const once = redact(link.repeat(50), { paths: [] });
    expect(once.value).toBe('•••(entangled-secrets)');
    expect(redact(once.value, { paths: [] })).toEqual({ value: once.value, redacted: [] });
  });

  test('[RD-7] the list of redactions is limited in number and length', () => {
    const many = { ['k'.repeat(500_000)]: Array.from({ length: 5000 }, () => 'password=hunter2') };
    const { redacted } = redact(many, { paths: [] });
    expect(redacted.length).toBe(MAX_REDACTED_LISTED + 1);
    expect(redacted.at(-1)).toEqual({ path: '$', why: `and ${5000 - MAX_REDACTED_LISTED} more` });
    expect(JSON.stringify(redacted).length).toBeLessThan(MAX_REDACTED_LISTED * 200);
  });

  // Backtracking patterns would need hours for these.
  test.each([
    'eyJaaaaa-',
    'eyJaaaaa.',
    'eyJaaaaa.aaaaa-',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN ',
    'a://',
    'a://a:',
    'a.a+',
    'bearer ',
    'bearer aaaaaaa ',
    'password=',
    'password"  :  "',
    'authorization: basic ',
    'sk-aaaa',
    'SG.aaaaaaaaaaaaaaaaaaaaaa.',
    'xoxb-',
    '4 ',
    '4242 ',
    '42424242',
    '4-',
    '\\',
    ' ',
    '•••(',
  ])('[RD-7] a mebibyte of %j is processed before the timeout', (part) => {
    const text = part.repeat(Math.ceil(2 ** 20 / part.length));
    const { value } = redact({ text, [text]: text }, { paths: ['*'] });
    expect(Object.keys(value as JsonObject).length).toBe(2);
    expect(typeof without(text)).toBe('string');
  });
});

describe('arbitrary values', () => {
  const secrets = Object.values(SECRETS);
  const piece = fc.oneof(
    fc.constantFrom(...secrets),
    fc.constantFrom(...WITH_CONTEXT.map(([, ...parts]) => parts.join(''))),
    fc.constantFrom(
      'password=',
      '"',
      "'",
      '•••(jwt)',
      'https://',
      ':',
      '@',
      '4242424242424242',
      ' ',
      '-',
      '&',
      '\\',
    ),
    fc.string(),
  );
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
  const key = fc.oneof(
    text,
    fc.constantFrom('password', 'a', 'b', '__proto__', 'constructor', 'toString'),
  );
  const { value: anyJson } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.constantFrom<Json>(null, true, 0, 4242424242424242),
      fc.array(tie('value'), { maxLength: 4 }),
      fc
        .array(fc.tuple(key, tie('value')), { maxLength: 4 })
        .map((members) => Object.fromEntries(members)),
    ),
  }));
  const paths = fc.subarray(['a', 'b.a', '*', 'a.*', '*.b', '$[0]']);

  test('[RD-6] is idempotent, and the second pass lists nothing', () => {
    fc.assert(
      fc.property(anyJson, paths, (value, named) => {
        const once = redact(value, { paths: named });
        const twice = redact(once.value, { paths: named });
        expect(twice.value).toEqual(once.value);
        expect(twice.redacted).toEqual([]);
        expect(isJson(once.value)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('[RD-5] no known secret remains in the result or in the list', () => {
    const separated = fc
      .array(fc.constantFrom(...secrets), { minLength: 1, maxLength: 4 })
      .map((some) => some.join(' '));
    const leaf = fc.oneof(separated, fc.string({ maxLength: 5 }));
    const values = fc.oneof(
      fc.dictionary(fc.oneof(leaf, fc.constant('password')), leaf),
      fc.array(fc.dictionary(leaf, leaf)),
    );
    fc.assert(
      fc.property(values, (value) => {
        const all = JSON.stringify(redact(value, { paths: [] }));
        for (const secret of secrets) {
          expect(all).not.toContain(JSON.stringify(secret).slice(1, -1));
          expect(all).not.toContain(secret.slice(-16));
        }
      }),
    );
  });

  test('[RD-5] values at configured paths are not in the list', () => {
    const { redacted } = redact(
      { iban: 'DE89 3704', deep: { iban: ['x1'] } },
      { paths: ['iban', 'deep.iban'] },
    );
    expect(JSON.stringify(redacted)).not.toMatch(/DE89|x1/);
    expect(redacted.length).toBe(2);
  });
});
