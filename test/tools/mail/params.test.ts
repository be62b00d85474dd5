// Params and grants that are refused before a connection is opened.
import { test as property, fc } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { addressOf, matchesPattern, parseAddress } from '#main/tools/mail/address.ts';
import { messageIdOf } from '#main/tools/mail/compose.ts';
import { describeMailGrant, mailGrant } from '#main/tools/mail/grant.ts';
import { LETTER, send, sendMethod } from '#test/tools/mail/mail-call.ts';
import { startSmtpServer } from '#test/tools/mail/smtp-server.ts';

const accepts = (params: object): boolean => sendMethod().params.safeParse(params).success;

describe('[ML-5] header injection is refused', () => {
  const evil = ['\r\nBcc: eve@example.org', '\nX: y', '\r', '\u0000', '\u0085', '\u2028'];

  test.each(evil)('%j in any header field', (newline) => {
    expect(accepts({ ...LETTER, subject: `Hello${newline}` })).toBe(false);
    expect(accepts({ ...LETTER, to: `bob@example.org${newline}` })).toBe(false);
    expect(accepts({ ...LETTER, to: `Bob${newline} <bob@example.org>` })).toBe(false);
    expect(accepts({ ...LETTER, cc: [`bob@example.org${newline}`] })).toBe(false);
    expect(accepts({ ...LETTER, replyTo: `bob@example.org${newline}` })).toBe(false);
    expect(accepts({ ...LETTER, inReplyTo: `<a@b>${newline}` })).toBe(false);
    const attachment = { filename: 'a.txt', contentBase64: '' };
    for (const wrong of [{ filename: `a${newline}` }, { contentType: `text/plain${newline}` }]) {
      expect(accepts({ ...LETTER, attachments: [{ ...attachment, ...wrong }] })).toBe(false);
    }
  });

  test.each([
    'a@example.org, b@example.org',
    'group: a@example.org;',
    '"a@example.org" <b@example.org>',
    'a@example.org <b@example.org> <c@example.org>',
    'a b@example.org',
    '<>',
    '',
    'a@',
    '@example.org',
    'a@@example.org',
    'a..b@example.org',
    'ä@example.org',
    `${'a'.repeat(300)}@example.org`,
  ])('%j is not a single address', (text) => {
    expect(accepts({ ...LETTER, to: text })).toBe(false);
    expect(accepts({ ...LETTER, to: [text] })).toBe(false);
  });

  property.prop([fc.string({ unit: 'binary' })])(
    'a parsed address contains no separator, quote or space',
    (text) => {
      const address = parseAddress(text)?.address ?? 'a@b';
      expect(address).toMatch(/^[^\s<>,;:"()\u0080-\uFFFF]+@[\w.-]+$/);
    },
  );

  test('a display name may contain a comma and non-ASCII letters', () => {
    expect(addressOf('Ada, née Byron <ada@example.org>')).toEqual({
      name: 'Ada, née Byron',
      address: 'ada@example.org',
    });
  });

  test('a mail needs a recipient and content within the size limits', () => {
    expect(accepts(LETTER)).toBe(true);
    expect(accepts({ ...LETTER, to: [] })).toBe(false);
    expect(accepts({ to: 'bob@example.org', subject: 'x' })).toBe(false);
    expect(accepts({ ...LETTER, text: 'x'.repeat(1024 * 1024) })).toBe(false);
    expect(accepts({ ...LETTER, headers: {} })).toBe(false);
    const many = Array.from({ length: 60 }, (_, i) => `a${i}@example.org`);
    expect(accepts({ ...LETTER, to: many, cc: many.map((one) => `x${one}`) })).toBe(false);
  });
});

test('[ML-5] recipients outside the grant are refused before a connection is opened', async () => {
  const post = await startSmtpServer();
  const account = { allowRecipients: ['*@example.org', 'eve@*'] };
  const outcome = await send(
    { smtpPort: post.port, account },
    { ...LETTER, cc: 'eve@elsewhere.net', bcc: 'Zoe <zoe@sub.example.org>' },
  );
  expect(outcome).toMatchObject({
    type: 'failed',
    errorType: 'permission',
    error: expect.stringContaining('zoe@sub.example.org'),
  });
  expect(post.accepted).toEqual([]);
  expect(post.connections()).toBe(0);
  const allowed = await send({ smtpPort: post.port, account }, { ...LETTER, cc: 'eve@x.net' });
  expect(allowed.type).toBe('applied');
});

test.each([
  ['a@example.org', '*@example.org', true],
  ['A@EXAMPLE.org', 'a@example.ORG', true],
  ['a@sub.example.org', '*@*.example.org', true],
  ['a@sub.example.org', '*@example.org', false],
  ['a@exampleXorg', '*@example.org', false],
  ['a@example.org.evil.net', '*@example.org', false],
  ['a@evil.net', '*', false],
  ['a+b@example.org', 'a+b@example.org', true],
])('[ML-5] %s matches %s: %s', (address, pattern, matches) => {
  expect(matchesPattern(address, pattern)).toBe(matches);
});

test('[ML-1] each effect id maps to one valid Message-ID', () => {
  expect(messageIdOf('abc-1')).toBe('<abc-1@holdfast.local>');
  const odd = messageIdOf('run/1:ä\r\n>');
  expect(odd).toMatch(/^<[0-9a-f]{64}@holdfast\.local>$/);
  expect(messageIdOf('run/1:ä\r\n>')).toBe(odd);
  expect(messageIdOf('run/2')).not.toBe(odd);
});

test('the grant and the effect have readable descriptions', () => {
  const server = { host: 'mail.example.org', port: 465, user: 'ada' };
  const account = { smtp: server, imap: server, from: 'ada@example.org', passwordSecret: 'mail' };
  expect(describeMailGrant(mailGrant.parse({ account }))).toBe(
    'may send mail as ada@example.org to anyone (mail.example.org), and may read the mail of ada (mail.example.org)',
  );
  expect(sendMethod().describe({ ...LETTER, cc: 'eve@example.org' })).toBe(
    'Send the mail “Report” to bob@example.org and 1 more',
  );
});
