// The http tool in the engine, and a service that is slow: the connection of a request is lost while the
// service still works on it, and a check doesn't find it until it is done.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createHttpTool } from '#main/tools/http/http.ts';
import type { MutationStatus } from '#shared/machines/mutation.ts';
import { createOutside } from '#test/support/fake-outside.ts';
import { startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

const HOUR = 60 * 60_000;

interface SlowService {
  readonly host: string;
  /** The effects that were asked for, in order. */
  readonly posts: string[];
  /** The effects that happened, in order. */
  readonly done: string[];
  checks: number;
  /** Answers a request for an effect that is under way; without it, its connection is cut. */
  answer: ((response: ServerResponse) => void) | undefined;
  /** The first request is done, long after its connection was lost. */
  finish(): void;
}

async function slowService(): Promise<SlowService> {
  const underWay: string[] = [];
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url = '', headers } = request;
    if (method === 'GET') {
      service.checks += 1;
      response.writeHead(service.done.includes(url.slice(1)) ? 200 : 404).end('{}');
      return;
    }
    const key = String(headers['idempotency-key']);
    service.posts.push(key);
    if (underWay.includes(key) && service.answer) return service.answer(response);
    underWay.push(key);
    request.socket.destroy();
  };
  const server = createServer(serve);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const service: SlowService = {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts: [],
    done: [],
    checks: 0,
    answer: undefined,
    finish: () => service.done.push(...underWay.splice(0, 1)),
  };
  return service;
}

interface Ordering extends EngineUnderTest {
  readonly service: SlowService;
  statuses(): (MutationStatus | undefined)[];
  /** In steps, so that each check ends before the time goes on. */
  passing(ms: number): Promise<void>;
}

async function ordering(settleMs: number): Promise<Ordering> {
  const service = await slowService();
  const tools = { http: createHttpTool() };
  const under = startEngine({ outside: { ...createOutside({ canReconcile: true }), tools } });
  const workflowId = await under.add(`
    import { workflow } from 'holdfast';
    export default workflow({
      name: 'Order', uses: { http: { hosts: ['${service.host}'] } }, topics: ['in'],
      consumers: { order: { subscribes: 'in',
        async prepare(ctx) {
          const [event] = await ctx.peek('in', { limit: 1 });
          return { reservations: event ? [event] : [] };
        },
        async mutate(ctx) {
          await ctx.tools.http.post({ url: 'http://${service.host}/', json: 1, reconcile: {
            url: 'http://${service.host}/{effectId}', settleMs: ${settleMs},
            happenedWhen: { status: [200] }, didNotHappenWhen: { status: [404] } } });
        },
      } },
    });`);
  under.store.grants.set(workflowId, 'http', { hosts: [service.host] });
  await under.publish(workflowId, 'in', 'm1');
  return {
    ...under,
    service,
    statuses: () =>
      under.runs(workflowId).map(({ id }) => under.store.mutations.ofRun(id)?.state.status),
    passing: async (ms) => {
      for (let passed = 0; passed < ms; passed += 1000) await under.pass(1000);
    },
  };
}

it('[DO-2] a request that is still being processed is not sent again after the laptop slept', async () => {
  const { service, statuses, store, pass, passing } = await ordering(60_000);
  expect([service.posts.length, service.checks]).toEqual([1, 1]);
  store.clock.suspend(3 * HOUR);
  await pass(0);
  await passing(5000);
  expect(service.checks).toBeGreaterThan(1);
  service.finish();
  await passing(120_000);
  expect(service.posts).toHaveLength(1);
  expect(statuses()).toEqual(['applied']);
});

it('[DO-1] a request that is still being processed is not sent again because one check missed it', async () => {
  const { service, statuses, passing } = await ordering(0);
  await passing(2000);
  service.finish();
  await passing(120_000);
  expect(service.posts).toHaveLength(1);
  expect(statuses()).toEqual(['applied']);
});

it('[DO-1] a request that was lost is sent again after two checks', async () => {
  const { service, passing } = await ordering(60_000);
  await passing(59_000);
  expect(service.posts).toHaveLength(1);
  await passing(60_000);
  expect(service.posts).toHaveLength(2);
});

it('[DO-8] 409 for an effect id that was sent before leaves the outcome unknown, and Retry-After delays the check', async () => {
  const { service, statuses, passing } = await ordering(0);
  service.answer = (response) => response.writeHead(409, { 'Retry-After': '90' }).end();
  await passing(20_000);
  expect(service.posts).toHaveLength(2);
  expect(statuses()).toEqual(['failed', 'needs_reconcile']);
  const { checks } = service;
  await passing(60_000);
  expect(service.checks).toBe(checks);
  service.finish();
  await passing(60_000);
  expect(statuses()).toEqual(['failed', 'applied']);
  expect(service.posts).toHaveLength(2);
  expect(service.done).toHaveLength(1);
});
