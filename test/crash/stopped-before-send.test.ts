// Real host processes that are stopped (SIGSTOP) around an effect, while their clock goes on. A laptop
// that sleeps looks the same to them.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { startNode } from '#test/support/child-processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

interface Run {
  readonly phase: string;
  readonly status: string | null;
  readonly error: string | null;
  readonly checks: number;
}

interface Stopped {
  /** What the outside got, by method. */
  readonly requests: string[];
  /** Lets the process go on, as much later by its clock. */
  wakeAfter(ms: number): void;
  /** The first state of the runs that is as asked. */
  until(isReached: (runs: readonly Run[]) => boolean): Promise<readonly Run[]>;
}

/** Resolves when the host has stopped. */
async function stoppedAt(point: string, answers: { readonly post: number }): Promise<Stopped> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(String(request.method));
    // The service works on the effect, and a check doesn't find it yet.
    response.writeHead(request.method === 'POST' ? answers.post : 404).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const folder = tempFolder();
  const [workflow, clock] = [join(folder, 'orders.ts'), join(folder, 'clock')];
  writeFileSync(workflow, orders(`127.0.0.1:${(server.address() as AddressInfo).port}`));
  writeFileSync(clock, '0');
  const args = [join(folder, 'data'), workflow, point];
  const child = startNode('test/support/workers/stopped-host.ts', args, {
    NODE_OPTIONS: '--import=./test/blackbox/harness/clock.mjs',
    BLACKBOX_CLOCK: clock,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const { value, done } = (await lines.next()) as IteratorResult<string>;
    if (done) throw new Error('The host ended.');
    return value;
  };
  while ((await nextLine()) !== 'stopped');
  return {
    requests,
    wakeAfter: (ms) => {
      writeFileSync(clock, String(ms));
      child.kill('SIGCONT');
    },
    until: async (isReached) => {
      for (;;) {
        const runs = JSON.parse(await nextLine()) as Run[];
        if (isReached(runs)) return runs;
      }
    },
  };
}

const orders = (host: string): string => `
  import { workflow } from 'holdfast';
  export default workflow({
    name: 'Orders', uses: { http: { hosts: ['${host}'] } }, topics: ['in'],
    producers: { find: { schedule: { every: '7d' }, publishes: ['in'],
      async run(ctx) { await ctx.publish('in', { id: 'one', title: 'One' }); } } },
    consumers: { order: { subscribes: 'in',
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        return { reservations: event ? [event] : [] };
      },
      async mutate(ctx) {
        await ctx.tools.http.post({ url: 'http://${host}/', json: 1, reconcile: {
          url: 'http://${host}/{effectId}', settleMs: 60_000,
          happenedWhen: { status: [200] }, didNotHappenWhen: { status: [404] } } });
      },
    } },
  });`;

it('[DO-6] a host that was stopped for 70 s between its fsync and the first byte sends nothing; its run starts over', async () => {
  const host = await stoppedAt('in_flight:after', { post: 200 });
  host.wakeAfter(70_000);
  const runs = await host.until((all) => all.some(({ phase }) => phase === 'committed'));
  expect(runs).toMatchObject([
    { phase: 'failed', status: 'failed', error: expect.stringMatching(/^7\d s passed/) },
    { phase: 'committed', status: 'applied' },
  ]);
  expect(host.requests).toEqual(['POST']);
}, 60_000);

it('[DO-2] a host that was stopped for hours before a check does not send again because of it', async () => {
  const host = await stoppedAt('reconcile:before', { post: 502 });
  host.wakeAfter(3 * 60 * 60_000);
  const runs = await host.until(([run]) => (run?.checks ?? 0) > 2 || run?.status === 'failed');
  expect(runs).toMatchObject([{ phase: 'suspended', status: 'needs_reconcile' }]);
  expect(host.requests.filter((method) => method === 'POST')).toEqual(['POST']);
}, 60_000);
