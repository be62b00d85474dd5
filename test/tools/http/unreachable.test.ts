// Calls that don't reach their service: the reports of the http and feed tools, and the effect on other
// calls to the host.
import { describe, expect, test } from 'vitest';
import { createFeedTool } from '#main/tools/feed/feed.ts';
import { callRead } from '#main/tools/call-tool.ts';
import { doorwayOfRead } from '#main/tools/outside-hosts/doorway.ts';
import type { OutsideHosts } from '#main/tools/outside-hosts/outside-hosts.ts';
import { testHost, unlimitedHosts, type TestHost } from '#test/tools/call-host.ts';
import { get, post, reconcile } from '#test/tools/http/http-call.ts';
import { answerWith, closedPort, rawServer } from '#test/tools/raw-server.ts';

function device(): { readonly hosts: OutsideHosts; readonly call: () => TestHost } {
  const hosts = unlimitedHosts();
  const call = (): TestHost => {
    const host = testHost();
    return { ...host, doorway: doorwayOfRead(hosts, 'w1', host.signal) };
  };
  return { hosts, call };
}

const status = (code: number) => answerWith(`HTTP/1.1 ${code} No\r\nContent-Length: 0\r\n\r\n`);

describe('a host that can’t be reached', () => {
  test('[OF-1] is waited for by reads, effects, feeds and checks alike', async () => {
    const { hosts, call } = device();
    const host = `127.0.0.1:${await closedPort()}`;
    const url = `http://${host}/`;
    const waits = { errorType: 'network', waitsFor: { host, until: null } };
    expect(await get({ url }, undefined, call())).toMatchObject({
      ...waits,
      type: 'failed',
      error: expect.stringContaining('nothing answers at') as string,
    });
    // The circuit is open: this call was not made.
    expect(await post({ url }, undefined, call())).toMatchObject({
      ...waits,
      type: 'not_sent',
      error: expect.stringContaining('could not be reached') as string,
    });
    const feed = { namespace: 'feed', method: 'read', params: { url }, grant: { hosts: [host] } };
    expect(await callRead({ feed: createFeedTool() }, feed, call())).toMatchObject(waits);
    const check = { url, reconcile: { url, happenedWhen: { status: [200] } } };
    expect(await reconcile(check, 0, undefined, call())).toMatchObject({
      type: 'unknown',
      waitsFor: { host, until: null },
    });
    expect(hosts.downSince(host)).not.toBeNull();
    expect(hosts.waitsForNetwork(host)).toBe(false);
  });

  test('[OF-1] an effect that gets no connection was not sent', async () => {
    const host = `127.0.0.1:${await closedPort()}`;
    expect(await post({ url: `http://${host}/` })).toMatchObject({
      type: 'not_sent',
      waitsFor: { host, until: null },
    });
  });

  test('[OF-1] a timeout of the call itself says nothing about the host', async () => {
    const { hosts, call } = device();
    const server = await rawServer(() => undefined);
    const outcome = await get({ url: server.url, timeoutMs: 20 }, undefined, call());
    expect(outcome).toMatchObject({ type: 'failed', errorType: 'network' });
    expect(outcome).not.toHaveProperty('waitsFor');
    expect(hosts.downSince(server.host)).toBeNull();
  });
});

describe('a service that answers with an error', () => {
  test.each([502, 503, 504])(
    '[OF-3] the third consecutive read answered with %i opens the circuit',
    async (code) => {
      const { hosts, call } = device();
      const server = await rawServer(status(code));
      for (let n = 0; n < 2; n += 1) {
        expect(await get({ url: server.url }, undefined, call())).not.toHaveProperty('waitsFor');
      }
      expect(await get({ url: server.url }, undefined, call())).toMatchObject({
        errorType: 'network',
        waitsFor: { host: server.host, until: null },
      });
      expect(hosts.downSince(server.host)).not.toBeNull();
    },
  );

  test.each([
    ['GET', 500],
    ['GET', 404],
    ['POST', 503],
  ])('[OF-3] %s with %i concerns one request', async (method, code) => {
    const { hosts, call } = device();
    const server = await rawServer(status(code));
    for (let n = 0; n < 5; n += 1) {
      const send = method === 'GET' ? get : post;
      expect(await send({ url: server.url }, undefined, call())).not.toHaveProperty('waitsFor');
    }
    expect(hosts.downSince(server.host)).toBeNull();
  });

  test.each([
    ['503', status(503)],
    ['no answer', () => undefined],
  ])(
    '[OF-8] a check with %s is repeated in a minute and uses up no attempt',
    async (_what, server) => {
      const { host, url } = await rawServer(server);
      const check = { url, timeoutMs: 20, reconcile: { url, happenedWhen: { status: [200] } } };
      const outcome = await reconcile(check, 0);
      expect(outcome).toMatchObject({ type: 'unknown', waitsFor: { host } });
      const { until } = (outcome.type === 'unknown' && outcome.waitsFor) || {};
      expect(until).toBeGreaterThan(Date.now());
    },
  );

  test('[OF-8] a check with 500 uses up an attempt', async () => {
    const { url } = await rawServer(status(500));
    const outcome = await reconcile(
      { url, reconcile: { url, happenedWhen: { status: [200] } } },
      0,
    );
    expect(outcome).toMatchObject({ type: 'unknown' });
    expect(outcome).not.toHaveProperty('waitsFor');
  });
});
