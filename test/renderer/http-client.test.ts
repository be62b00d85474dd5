// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FeedMessage } from '#shared/api/feed.ts';
import { BACKOFF_MAX_MS, backoffDelay } from '#renderer/client/backoff.ts';
import { createHttpClient } from '#renderer/client/http-client.ts';
import { createFeedConnection } from '#renderer/client/feed-connection.ts';

const ORIGIN = 'http://127.0.0.1:4317';
const INFO = {
  version: '0.1.0',
  schemaVersion: 1,
  deviceId: 'd',
  spaceId: 's',
  dataDir: '/data',
  startedAt: 0,
  pid: 1,
};

class FakeSocket extends EventTarget {
  static opened: FakeSocket[] = [];
  readonly url: string;
  readonly protocols: readonly string[];
  constructor(url: string, protocols: string[]) {
    super();
    this.url = url;
    this.protocols = protocols;
    FakeSocket.opened.push(this);
  }
  says(message: unknown): void {
    const data = typeof message === 'string' ? message : JSON.stringify(message);
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
  close(): void {
    this.dispatchEvent(new Event('close'));
  }
}

const makeClient = (answer: () => Promise<Response>) => {
  const fetch = vi.fn<typeof globalThis.fetch>(answer);
  const onUnauthorized = vi.fn();
  const client = createHttpClient({
    origin: ORIGIN,
    token: 'secret-token',
    onUnauthorized,
    fetch,
    WebSocket: FakeSocket as unknown as new (url: string, protocols: string[]) => WebSocket,
    random: () => 0.999,
  });
  return { client, fetch, onUnauthorized };
};
const json = (body: unknown, status = 200) => Promise.resolve(Response.json(body, { status }));
const refused = () =>
  json({ ok: false, error: { type: 'unauthorized', message: 'Who are you?' } }, 401);

describe('the HTTP client', () => {
  beforeEach(() => {
    FakeSocket.opened = [];
    vi.useFakeTimers();
  });
  afterEach(() => vi.useRealTimers());

  test('[UI-4] sends the token in a header, not in the URL', async () => {
    const { client, fetch } = makeClient(() => json({ ok: true, output: INFO }));
    await expect(client.call('host.info', {})).resolves.toEqual(INFO);
    const [url, init] = fetch.mock.calls[0] ?? [];
    expect(url).toBe(`${ORIGIN}/api/call/host.info`);
    expect(new Headers(init?.headers).get('authorization')).toBe('Bearer secret-token');
    client.subscribe(() => undefined);
    expect(FakeSocket.opened[0]).toMatchObject({
      url: 'ws://127.0.0.1:4317/api/feed',
      protocols: ['holdfast', 'holdfast.bearer.secret-token'],
    });
  });

  test('[UI-4] a refused token is reported, and the call fails with the host’s message', async () => {
    const { client, onUnauthorized } = makeClient(refused);
    await expect(client.call('host.info', {})).rejects.toMatchObject({
      type: 'unauthorized',
      message: 'Who are you?',
    });
    expect(onUnauthorized).toHaveBeenCalledOnce();
  });

  test('[UI-4] the feed doesn’t reconnect after a refused token', async () => {
    const { client, onUnauthorized } = makeClient(refused);
    client.subscribe(() => undefined);
    FakeSocket.opened[0]?.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(onUnauthorized).toHaveBeenCalledOnce();
    expect(FakeSocket.opened).toHaveLength(1);
  });

  test('a failed fetch is an error of type unreachable', async () => {
    const { client } = makeClient(() => Promise.reject(new TypeError('fetch failed')));
    await expect(client.call('host.info', {})).rejects.toMatchObject({ type: 'unreachable' });
  });

  test.each([
    ['invalid JSON', () => Promise.resolve(new Response('<html>'))],
    ['a body without a result', () => json({ hello: 1 })],
    ['an output of another shape', () => json({ ok: true, output: { version: 1 } })],
  ])('%s is an error of type internal', async (_, answer) => {
    const { client } = makeClient(answer);
    await expect(client.call('host.info', {})).rejects.toMatchObject({ type: 'internal' });
  });

  test('[UI-3] a lost feed reconnects with exponential backoff', async () => {
    const { client } = makeClient(() => Promise.reject(new TypeError('gone')));
    client.subscribe(() => undefined);
    FakeSocket.opened[0]?.says({ type: 'hello' });
    const waits: number[] = [];
    for (let lost = 1; lost <= 8; lost += 1) {
      FakeSocket.opened.at(-1)?.close();
      let waited = 0;
      while (FakeSocket.opened.length === lost && waited < 60_000) {
        await vi.advanceTimersByTimeAsync(50);
        waited += 50;
      }
      waits.push(waited);
    }
    expect(waits.slice(0, 5)).toEqual([250, 500, 1_000, 2_000, 4_000]);
    expect(Math.max(...waits)).toBe(BACKOFF_MAX_MS);
    // A successful connection resets the backoff.
    FakeSocket.opened.at(-1)?.says({ type: 'hello' });
    FakeSocket.opened.at(-1)?.close();
    const before = FakeSocket.opened.length;
    await vi.advanceTimersByTimeAsync(250);
    expect(FakeSocket.opened).toHaveLength(before + 1);
  });

  test('[UI-3] the backoff stays between its minimum and maximum', () => {
    for (let attempt = 0; attempt < 40; attempt += 1) {
      for (const random of [0, 0.5, 0.999]) {
        expect(backoffDelay(attempt, random)).toBeGreaterThanOrEqual(125);
        expect(backoffDelay(attempt, random)).toBeLessThanOrEqual(BACKOFF_MAX_MS);
      }
    }
  });

  test('[UI-3] the connection counts as lost since the first loss until the host says hello', async () => {
    const { client } = makeClient(() => Promise.reject(new TypeError('gone')));
    let now = 1_000;
    const feed = createFeedConnection(client, () => now);
    const stop = feed.start();
    expect(feed.connection.getState()).toEqual({ state: 'connecting' });
    FakeSocket.opened[0]?.says({ type: 'hello' });
    expect(feed.connection.getState()).toEqual({ state: 'open' });
    now = 5_000;
    FakeSocket.opened[0]?.close();
    now = 9_000;
    await vi.advanceTimersByTimeAsync(1_000);
    FakeSocket.opened.at(-1)?.close();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(feed.connection.getState()).toEqual({ state: 'gone', since: 5_000 });
    FakeSocket.opened.at(-1)?.says({ type: 'hello' });
    expect(feed.connection.getState()).toEqual({ state: 'open' });
    stop();
    const opened = FakeSocket.opened.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSocket.opened).toHaveLength(opened);
  });

  test('[UI-2] an unreadable message is treated as resync', () => {
    const { client } = makeClient(() => Promise.reject(new TypeError('gone')));
    const messages: FeedMessage[] = [];
    client.subscribe((message) => messages.push(message));
    for (const text of ['{', '{"type":"surprise"}']) FakeSocket.opened[0]?.says(text);
    expect(messages).toEqual([{ type: 'resync' }, { type: 'resync' }]);
  });
});
