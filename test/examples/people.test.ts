// The examples that send mail or ask a person, with a real SMTP server.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  mailPlaces,
  oldFile,
  practiceService,
  startExample,
} from '#test/examples/start-example.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { SMTP_PASSWORD, startSmtpServer } from '#test/tools/mail/smtp-server.ts';

const SECRETS = { 'mail-password': SMTP_PASSWORD };

test('[ML-1] invoices-to-mail sends each old enough PDF once, then records it in the ledger', async () => {
  const invoices = tempFolder();
  const post = await startSmtpServer();
  oldFile(invoices, 'march.pdf', 'PDF of March');
  oldFile(invoices, 'notes.txt', 'not an invoice');
  writeFileSync(join(invoices, 'young.pdf'), 'still being written');
  const example = await startExample('invoices-to-mail.ts', {
    places: { '~/Invoices': invoices, ...mailPlaces(post.port) },
    secrets: SECRETS,
    faults: ['crash after the first files.append', 'lose the answer of the second mail.send'],
  });
  expect(post.accepted.map(({ to }) => to)).toEqual([['books@example.org']]);
  const raw = post.accepted[0]?.raw ?? '';
  expect(raw).toMatch(/^Subject: Invoice march\.pdf/m);
  expect(raw).toMatch(/^Message-ID: <[^>]+>/im);
  expect(raw).toContain(Buffer.from('PDF of March').toString('base64'));
  await example.assertDone();

  rmSync(join(invoices, 'young.pdf'));
  oldFile(invoices, 'april.pdf', 'PDF of April');
  await example.run('look');
  // The mailbox can't be reached here, so after a day a person is asked.
  await example.pass('25h');
  expect(await example.inbox()).toMatchObject([{ type: 'unknown_effect' }]);
  await example.resolve('happened');
  expect(post.accepted).toHaveLength(2);
  const ledger = readFileSync(join(invoices, 'ledger.csv'), 'utf8').trimEnd().split('\n');
  expect(ledger.filter((line) => !line.startsWith('#'))).toEqual([
    expect.stringMatching(/^\d{4}-.*Z,"march\.pdf",books@example\.org$/),
    expect.stringMatching(/^\d{4}-.*Z,"april\.pdf",books@example\.org$/),
  ]);
});

test('[EN-8] invoices-to-mail waits for its missing password, and sends when it is set', async () => {
  const invoices = tempFolder();
  const post = await startSmtpServer();
  oldFile(invoices, 'march.pdf', 'PDF of March');
  const example = await startExample('invoices-to-mail.ts', {
    places: { '~/Invoices': invoices, ...mailPlaces(post.port) },
  });
  expect(await example.inbox()).toMatchObject([
    { type: 'approval', error: expect.stringContaining('holdfast secret set mail-password') },
  ]);
  await example.setSecret('mail-password', SMTP_PASSWORD);
  await example.resume();
  expect(post.accepted).toHaveLength(1);
  await example.assertDone();
});

test('[EN-4] feed-digest collects entries and sends them as one mail at nine', async () => {
  const post = await startSmtpServer();
  const etags: unknown[] = [];
  const entry = (id: string, title: string) => ({ id, title, link: `https://example.org/${id}` });
  const example = await startExample('feed-digest.ts', {
    now: '2026-03-02T06:00:00Z',
    places: mailPlaces(post.port),
    secrets: SECRETS,
    outside: {
      'feed.read': ({ etag }: { etag?: string }) => {
        etags.push(etag);
        const entries = etag === 'v1' ? [] : [entry('n1', 'Rain'), entry('n2', 'Sun & wind')];
        return {
          changed: etag !== 'v1',
          title: 'News',
          link: null,
          entries,
          etag: 'v1',
          lastModified: null,
        };
      },
    },
    faults: ['fail the first feed.read', 'cut the line before the first mail.send'],
  });
  await example.pass('1h');
  expect(post.accepted).toEqual([]);
  expect(etags.slice(0, 2)).toEqual([undefined, 'v1']);
  await example.pass('2h');
  expect(post.accepted).toHaveLength(1);
  const { raw, to } = post.accepted[0] ?? { raw: '', to: [] };
  expect(to).toEqual(['ada@example.org']);
  expect(raw).toMatch(/^Subject: 2 new entries on 2026-03-02/m);
  expect(raw).toContain('Sun & wind');
  // The digest of a day is one event, so running the producer again sends nothing.
  await example.run('nine');
  expect(post.accepted).toHaveLength(1);
  // No mail on a day without entries.
  await example.pass('1d');
  expect(post.accepted).toHaveLength(1);
  await example.assertDone();
});

test('[EN-17] approve-payment pays once after “Pay”, despite a crash and a lost answer', async () => {
  const practice = await practiceService();
  const example = await startExample('approve-payment.ts', {
    places: {
      'https://bank.example.org': practice.url,
      "'bank.example.org'": `'${practice.host}'`,
    },
    secrets: { 'bank-token': 'b4nk' },
    faults: ['lose the answer of the first http.post'],
  });
  await example.publish('payment.wanted', {
    id: 'inv-17',
    payload: { to: 'ACME', cents: 129_900 },
  });
  expect(await example.inbox('question')).toMatchObject([{ question: 'Pay 1299.00 EUR to ACME?' }]);
  expect(practice.effects()).toEqual([]);
  await example.crash();
  await example.answer('Pay');
  expect(practice.effects().map(({ body }) => body)).toEqual([{ to: 'ACME', cents: 129_900 }]);
  await example.assertDone();
  expect(await example.effects('http.post')).toMatchObject([{ status: 'applied' }]);
});

test('[EN-17] approve-payment does not pay after “Do not pay”, and refuses an answer that is not offered', async () => {
  const example = await startExample('approve-payment.ts', { secrets: { 'bank-token': 'b4nk' } });
  await example.publish('payment.wanted', { id: 'inv-18', payload: { to: 'ACME', cents: 5 } });
  await expect(example.answer('Perhaps')).rejects.toThrow(
    'The answer must be one of: Pay, Do not pay.',
  );
  await example.answer('Do not pay');
  expect(example.reached()).toEqual([]);
  await example.assertDone();
});

test('[EN-17] form-to-mail sends once after “Send”, despite a crash while sending', async () => {
  const post = await startSmtpServer();
  const example = await startExample('form-to-mail.ts', {
    places: mailPlaces(post.port),
    secrets: SECRETS,
    faults: ['crash after the first mail.send'],
  });
  const form = { name: 'Bo', email: 'bo@example.org', request: 'Ten ropes' };
  await example.publish('form.sent', { id: 'f-1', payload: form });
  expect(await example.inbox('question')).toMatchObject([
    { question: 'Send Bo <bo@example.org> an offer?', details: 'Ten ropes' },
  ]);
  expect(post.accepted).toEqual([]);
  await example.answer('Send');
  await example.pass('25h');
  await example.resolve('happened');
  expect(post.accepted.map(({ to }) => to)).toEqual([['bo@example.org']]);
  await example.assertDone();
});

test('[EN-9] form-to-mail sets aside a form with an invalid address, and continues with the next', async () => {
  const example = await startExample('form-to-mail.ts', { secrets: SECRETS });
  const form = { name: 'Eve', email: 'a@b, c@d', request: 'x' };
  await example.publish('form.sent', { id: 'f-1', payload: form });
  await example.publish('form.sent', { id: 'f-2', payload: { ...form, email: 'eve@example.org' } });
  await example.pass('10m');
  expect((await example.inbox()).map(({ type }) => type).toSorted()).toEqual([
    'question',
    'set_aside',
  ]);
});

test('[ML-2] weekly-report is set aside for an invalid line, and sends the sums of the week once it is corrected', async () => {
  const folder = tempFolder();
  const post = await startSmtpServer();
  const sheet = '2026-02-27,Old,8\n2026-03-02,Gate,3.5\n2026-03-04,Gate,1.25\n2026-03-08,Roof,2\n';
  writeFileSync(join(folder, 'hours.csv'), `${sheet}nonsense\n`);
  const example = await startExample('weekly-report.ts', {
    now: '2026-03-09T06:00:00Z',
    places: { '~/Work': folder, ...mailPlaces(post.port) },
    secrets: SECRETS,
    faults: ['cut the line before the first mail.send'],
  });
  await example.pass('90m');
  expect(await example.inbox()).toMatchObject([{ type: 'set_aside', title: 'Week of 2026-03-02' }]);
  expect((await example.runs('report'))[0]?.error).toContain('Line 5 of the time sheet is invalid');
  writeFileSync(join(folder, 'hours.csv'), sheet);
  const [aside] = await example.inbox('set_aside');
  await example.call('events.rerun', { eventId: aside?.eventId ?? '' });
  await example.pass('5m');
  expect(post.accepted).toHaveLength(1);
  expect(post.accepted[0]?.raw).toMatch(/^Subject: Hours from 2026-03-02 to 2026-03-08/m);
  expect(post.accepted[0]?.raw).toMatch(/4\.75 h {2}Gate\r\n2\.00 h {2}Roof/);
  await example.assertDone();
});
