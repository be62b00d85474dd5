// The examples that write to people or ask them, with a real SMTP server.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  loseNextAnswer,
  mailPlaces,
  oldFile,
  practiceService,
  startExample,
  type RunningExample,
} from '#test/examples/run-example.ts';
import { fail } from '#test/support/calls.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { SMTP_PASSWORD, startPost } from '#test/tools/mail/smtp-post.ts';

const SECRETS = { 'mail-password': SMTP_PASSWORD };

test('[ML-1] invoices-to-mail sends each invoice once, then books it', async () => {
  const invoices = tempFolder();
  const post = await startPost();
  oldFile(invoices, 'march.pdf', 'PDF of March');
  oldFile(invoices, 'notes.txt', 'not an invoice');
  writeFileSync(join(invoices, 'young.pdf'), 'still being written');
  const places = { '~/Invoices': invoices, ...mailPlaces(post.port) };
  const example = await startExample('invoices-to-mail.ts', places, SECRETS);
  expect(post.accepted.map(({ to }) => to)).toEqual([['books@example.org']]);
  const raw = post.accepted[0]?.raw ?? '';
  expect(raw).toMatch(/^Subject: Invoice march\.pdf/m);
  expect(raw).toMatch(/^Message-ID: <[^>]+>/im);
  expect(raw).toContain(Buffer.from('PDF of March').toString('base64'));

  oldFile(invoices, 'april.pdf', 'PDF of April');
  await example.run('look');
  expect(post.accepted).toHaveLength(2);
  const ledger = readFileSync(join(invoices, 'ledger.csv'), 'utf8').trimEnd().split('\n');
  expect(ledger.filter((line) => !line.startsWith('#'))).toEqual([
    expect.stringMatching(/^\d{4}-.*Z,"march\.pdf",books@example\.org$/),
    expect.stringMatching(/^\d{4}-.*Z,"april\.pdf",books@example\.org$/),
  ]);
});

test('[EN-8] invoices-to-mail without its password waits, and goes on when it is set', async () => {
  const invoices = tempFolder();
  const post = await startPost();
  oldFile(invoices, 'march.pdf', 'PDF of March');
  const places = { '~/Invoices': invoices, ...mailPlaces(post.port) };
  const example = await startExample('invoices-to-mail.ts', places);
  const { call, workflowId } = example;
  expect(await example.inbox()).toMatchObject([
    { type: 'approval', error: expect.stringContaining('holdfast secret set mail-password') },
  ]);
  await call('secrets.set', { name: 'mail-password', value: SMTP_PASSWORD });
  await call('workflows.resume', { workflowId });
  await example.settled();
  expect(post.accepted).toHaveLength(1);
  expect(await example.inbox()).toEqual([]);
});

test('[EN-4] feed-digest lets entries wait, and sends them as one mail when it is time', async () => {
  const post = await startPost();
  const feed = await serveFeed(['Rain', 'Sun & wind']);
  const places = {
    'https://news.example.org': feed.url,
    "'news.example.org'": `'${feed.host}'`,
    ...mailPlaces(post.port),
  };
  const example = await startExample('feed-digest.ts', places, SECRETS);
  expect(post.accepted).toEqual([]);
  await example.run('gather');
  expect(feed.statuses).toEqual([200, 304]);
  await example.run('nine');
  expect(post.accepted).toHaveLength(1);
  const { raw, to } = post.accepted[0] ?? { raw: '', to: [] };
  expect(to).toEqual(['ada@example.org']);
  expect(raw).toMatch(/^Subject: 2 news on \d{4}-\d\d-\d\d/m);
  expect(raw).toContain('Sun & wind');
  // The day's digest is one event: asked for again, it is not sent again.
  await example.run('nine');
  expect(post.accepted).toHaveLength(1);
  expect(await example.inbox()).toEqual([]);
});

test('[EN-17] approve-payment pays after a yes, once, though the answer of the bank is lost', async () => {
  const { example, practice } = await startPayments();
  const mutationId = await ask(example, 'inv-17', 129_900);
  expect(practice.effects()).toEqual([]);
  await loseNextAnswer(practice);
  await example.call('inbox.answer', { mutationId, answer: 'Pay' });
  await example.settled();
  expect(practice.effects().map(({ body }) => body)).toEqual([{ to: 'ACME', cents: 129_900 }]);
  expect(await example.inbox()).toEqual([]);
  expect((await example.runs()).at(-1)).toBe('pay committed applied');
});

test('[EN-17] approve-payment does not pay after a no, nor after something else', async () => {
  const { example, practice } = await startPayments();
  const mutationId = await ask(example, 'inv-18', 5);
  const answer = { mutationId, answer: 'Perhaps' };
  expect(await fail(example.host.dispatch, 'inbox.answer', answer)).toMatchObject({
    type: 'invalid_input',
    message: 'The answer must be one of: Pay, Do not pay.',
  });
  await example.call('inbox.answer', { mutationId, answer: 'Do not pay' });
  await example.settled();
  expect(practice.effects()).toEqual([]);
  expect(await example.inbox()).toEqual([]);
});

async function startPayments(): Promise<{
  example: RunningExample;
  practice: Awaited<ReturnType<typeof practiceService>>;
}> {
  const practice = await practiceService();
  const places = {
    'https://bank.example.org': practice.url,
    "'bank.example.org'": `'${practice.host}'`,
  };
  const example = await startExample('approve-payment.ts', places, { 'bank-token': 'b4nk' });
  return { example, practice };
}

/** The id of the question that a wanted payment leads to. */
async function ask(example: RunningExample, messageId: string, cents: number): Promise<string> {
  const { workflowId } = example;
  const event = { workflowId, topic: 'payment.wanted', messageId, title: messageId };
  await example.call('events.publish', { ...event, payload: { to: 'ACME', cents } });
  await example.settled();
  const [item] = await example.inbox();
  if (item?.type !== 'question') throw new Error(`not a question: ${JSON.stringify(item)}`);
  expect(item.question).toBe(`Pay ${(cents / 100).toFixed(2)} EUR to ACME?`);
  return item.mutationId;
}

async function serveFeed(
  titles: readonly string[],
): Promise<{ url: string; host: string; statuses: number[] }> {
  const items = titles.map(
    (title, index) =>
      `<item><guid>n${index}</guid><title>${title.replace('&', '&amp;')}</title><link>https://example.org/${index}</link></item>`,
  );
  const statuses: number[] = [];
  const server = createServer((request, response) => {
    response.statusCode = request.headers['if-none-match'] === '"v1"' ? 304 : 200;
    statuses.push(response.statusCode);
    response.setHeader('ETag', '"v1"');
    response.setHeader('Content-Type', 'application/rss+xml');
    const feed = `<rss version="2.0"><channel><title>News</title>${items.join('')}</channel></rss>`;
    response.end(response.statusCode === 304 ? undefined : feed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${host}`, host, statuses };
}
