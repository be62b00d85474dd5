// The change feed: messages to subscribers, and the buffer of a client that does not read.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { createFeedServer } from '#main/api/transport/http-feed.ts';
import type { Host } from '#main/host/host.ts';
import { FEED_TABLES, type FeedMessage } from '#shared/api/feed.ts';
import { FEED_MAX_BUFFERED_BYTES, FEED_MAX_IDS } from '#shared/limits.ts';
import { makeRuns, runEvent, succeed } from '#test/support/api-calls.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { openFeed } from '#test/support/http-client.ts';
import { createMailbox, type Mailbox } from '#test/support/mailbox.ts';

function subscribe(host: Host): Mailbox<FeedMessage> {
  const messages = createMailbox<FeedMessage>();
  onTestFinished(host.feed.subscribe((message) => messages.push(message)));
  return messages;
}

const isChange = (message: FeedMessage): boolean => message.type === 'changes';

function createWorkflows(host: Host, count: number): string[] {
  return Array.from(
    { length: count },
    (_, i) => host.stores.workflows.create(`workflow-${i}`, { name: `${i}`, scriptId: null }).id,
  );
}

test('[FD-1] hello comes first, synchronously, then the changed rows', async () => {
  const host = createTestHost();
  const messages = subscribe(host);
  expect(messages.all).toEqual([{ type: 'hello' }]);
  const { id } = await succeed(host.dispatch, 'workflows.create', { requestId: 'r', name: 'n' });
  expect(await messages.until(isChange)).toEqual({
    type: 'changes',
    changes: [{ table: 'workflows', ids: [id] }],
  });
});

test('[FD-1] changes within one frame are one message with each row once', async () => {
  const host = createTestHost();
  const { active, spaceId } = await makeRuns(host.dispatch);
  const messages = subscribe(host);
  const ids = createWorkflows(host, 3);
  host.stores.workflows.setConsumerSleepUntil('workflow-1', 5);
  host.stores.runState.append(runEvent(active, spaceId));
  await messages.until(isChange);
  expect(messages.all).toEqual([
    { type: 'hello' },
    {
      type: 'changes',
      changes: [
        { table: 'workflows', ids },
        { table: 'run_events', ids: [active.id] },
      ],
    },
  ]);
});

test('[FD-1] the next frame has only new changes', async () => {
  const host = createTestHost();
  const messages = subscribe(host);
  createWorkflows(host, 1);
  await messages.until(isChange);
  createWorkflows(host, 2);
  const isNew = (message: FeedMessage): boolean => message !== messages.all[1] && isChange(message);
  expect(await messages.until(isNew)).toEqual({
    type: 'changes',
    changes: [{ table: 'workflows', ids: ['workflow-1'] }],
  });
});

test('[FD-1] every subscriber gets the message, except one that unsubscribed', async () => {
  const host = createTestHost();
  const first = subscribe(host);
  const former = createMailbox<FeedMessage>();
  const unsubscribe = host.feed.subscribe((message) => former.push(message));
  const last = subscribe(host);
  unsubscribe();
  createWorkflows(host, 1);
  await Promise.all([first.until(isChange), last.until(isChange)]);
  expect(former.all).toEqual([{ type: 'hello' }]);
});

test('[FD-2] ids up to the limit are listed; one more gives "many"', async () => {
  const host = createTestHost();
  const atLimit = subscribe(host);
  const ids = host.folder.db.write(() => createWorkflows(host, FEED_MAX_IDS));
  expect(await atLimit.until(isChange)).toEqual({
    type: 'changes',
    changes: [{ table: 'workflows', ids }],
  });

  const over = subscribe(host);
  host.folder.db.write(() => {
    for (const id of [...ids, 'one more']) host.folder.db.changes.record('workflows', id);
    host.folder.db.changes.record('scripts', 'script');
  });
  expect(await over.until(isChange)).toEqual({
    type: 'changes',
    changes: [
      { table: 'workflows', ids: 'many' },
      { table: 'scripts', ids: ['script'] },
    ],
  });
});

test('[FD-3] a client that does not read has a bounded buffer, and gets one resync', async () => {
  const host = createTestHost();
  const { url, hostSide } = await serveFeedOnly(host);
  const client = await openFeed({ url, token: 'unused' });
  await client.messages.until(({ type }) => type === 'hello');
  client.socket.pause();

  const reader = subscribe(host);
  let largest = 0;
  let maxBuffered = 0;
  let rounds = 0;
  // Sixty rounds beyond the limit would be more than ten times the limit without one.
  for (let beyond = 0; beyond < 60; rounds += 1) {
    const message = await sendLargestMessage(host, reader);
    largest = Math.max(largest, Buffer.byteLength(JSON.stringify(message)));
    maxBuffered = Math.max(maxBuffered, hostSide().writableLength);
    if (hostSide().writableLength > FEED_MAX_BUFFERED_BYTES) beyond += 1;
  }
  const frame = 16;
  expect(largest * 60).toBeGreaterThan(10 * FEED_MAX_BUFFERED_BYTES);
  expect(maxBuffered).toBeLessThanOrEqual(FEED_MAX_BUFFERED_BYTES + largest + frame);

  // The resync must come although nothing else changes.
  client.socket.resume();
  await client.messages.until(({ type }) => type === 'resync');
  expect(client.messages.all.length).toBeLessThan(rounds);
  expect(client.messages.all.filter(({ type }) => type === 'resync')).toHaveLength(1);

  const before = client.messages.all.length;
  createWorkflows(host, 1);
  await client.messages.until((message) => client.messages.all.indexOf(message) >= before);
  expect(client.messages.all.slice(before)).toEqual([
    { type: 'changes', changes: [{ table: 'workflows', ids: ['workflow-0'] }] },
  ]);
});

/** Serves the feed without access checks and exposes the host's socket. */
async function serveFeedOnly(host: Host): Promise<{ url: string; hostSide: () => Duplex }> {
  const feed = createFeedServer(host.feed);
  const server = createServer();
  let accepted: Duplex | undefined;
  server.on('upgrade', (request, socket, head) => {
    accepted = socket;
    feed.accept(request, socket, head);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    feed.close();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hostSide: () => accepted as Duplex,
  };
}

/** Causes a message of the maximum size and returns it. */
async function sendLargestMessage(host: Host, reader: Mailbox<FeedMessage>): Promise<FeedMessage> {
  const before = reader.all.length;
  host.folder.db.write(() => {
    for (const table of FEED_TABLES) {
      for (let i = 0; i < FEED_MAX_IDS; i += 1) {
        host.folder.db.changes.record(table, `${'x'.repeat(195)}${i}`);
      }
    }
  });
  return reader.until((message) => reader.all.indexOf(message) >= before);
}
