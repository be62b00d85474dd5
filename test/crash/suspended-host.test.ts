// Real host processes that are stopped (SIGSTOP) around an effect, and whose clock goes on. A laptop that
// sleeps looks the same to them.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { succeed, type Call } from '#test/support/api-calls.ts';
import { serveHost, startNode } from '#test/support/child-processes.ts';
import { callOver } from '#test/support/http-client.ts';
import { isLinux, onlyOnLinux } from '#test/support/not-run.ts';
import { readRows } from '#test/support/read-rows.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

interface Run {
  readonly phase: string;
  readonly status: string | null;
  readonly error: string | null;
  readonly checks: number;
}

interface Effect {
  readonly status: string;
  readonly created_at: number;
}

interface Stopped {
  readonly dataDir: string;
  /** What the outside got, by method. */
  readonly requests: string[];
  /** Lets the process go on, as much later by the clock. */
  wakeAfter(ms: number): void;
  /** The first state of the runs that is as asked. */
  until(isReached: (runs: readonly Run[]) => boolean): Promise<readonly Run[]>;
}

interface StopAt {
  readonly point: string;
  /** The status that a POST is answered with. */
  readonly post: number;
  /** The clock of all processes: a file for `clock.mjs`. */
  readonly clock: string;
  /** Invitation of another device. */
  readonly link?: string;
}

function createClock(): string {
  const file = join(tempFolder(), 'clock');
  writeFileSync(file, '0');
  return file;
}

const envOf = (clock: string): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: '--import=./test/blackbox/harness/clock.mjs',
  BLACKBOX_CLOCK: clock,
});

/** Resolves when the host has stopped. */
async function stoppedAt({ point, post, clock, link = '' }: StopAt): Promise<Stopped> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(String(request.method));
    // The service works on the effect, and a check doesn't find it yet.
    response.writeHead(request.method === 'POST' ? post : 404).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const folder = tempFolder();
  const [dataDir, workflow] = [join(folder, 'data'), join(folder, 'orders.ts')];
  writeFileSync(workflow, orders(`127.0.0.1:${(server.address() as AddressInfo).port}`));
  const args = [dataDir, workflow, point, link];
  const child = startNode('test/support/workers/stopped-host.ts', args, envOf(clock));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const { value, done } = (await lines.next()) as IteratorResult<string>;
    if (done) throw new Error('The host ended.');
    return value;
  };
  while ((await nextLine()) !== 'stopped');
  // It prints the line before it stops. Continued between the two, it would stop for good.
  await eventually(() =>
    expect(readFileSync(`/proc/${child.pid}/stat`, 'utf8')).toMatch(/^\d+ \(.*\) T /),
  );
  return {
    dataDir,
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

function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 60_000, interval: 50 });
}

const firstOf = (effects: readonly Effect[]): Effect | undefined =>
  effects.toSorted((one, next) => one.created_at - next.created_at)[0];

const postsOf = ({ requests }: Stopped): number =>
  requests.filter((method) => method === 'POST').length;

describe.skipIf(!isLinux)(`a host that sleeps${onlyOnLinux}`, () => {
  it('[DO-6] sends nothing if 70 s passed between its fsync and the first byte; its run starts over', async () => {
    const host = await stoppedAt({
      point: 'in_flight:after',
      post: 200,
      clock: createClock(),
    });
    host.wakeAfter(70_000);
    const runs = await host.until((all) => all.some(({ phase }) => phase === 'committed'));
    expect(runs).toMatchObject([
      { phase: 'failed', status: 'failed', error: expect.stringMatching(/^\d+ s passed/) },
      { phase: 'committed', status: 'applied' },
    ]);
    expect(host.requests).toEqual(['POST']);
  }, 120_000);

  it('[DO-2] does not send again after hours of sleep before a check', async () => {
    const host = await stoppedAt({
      point: 'reconcile:before',
      post: 502,
      clock: createClock(),
    });
    host.wakeAfter(3 * 60 * 60_000);
    const runs = await host.until(([run]) => (run?.checks ?? 0) > 1 || run?.status === 'failed');
    expect(runs).toMatchObject([{ phase: 'suspended', status: 'needs_reconcile' }]);
    expect(postsOf(host)).toBe(1);
  }, 120_000);

  it.each([
    ['in_flight:after', { status: 'failed', error: expect.stringContaining('Nothing was sent.') }],
    ['send:after', { status: 'applied' }],
  ])(
    '[CM-7] [DO-6] sends nothing when it wakes after a take-over: asleep for 70 s at %s',
    async (point, outcome) => {
      const [b, clock] = [tempFolder(), createClock()];
      const other = await serveHost(b, [], onTestFinished, {
        ...envOf(clock),
        HOLDFAST_LINK_HOST: '127.0.0.1',
        HOLDFAST_LINK_PORT: '0',
      });
      const call: Call = (...args) => callOver(other, ...args);
      const { link } = await succeed(call, 'devices.invite', {});
      const host = await stoppedAt({ point, post: 200, clock, link });
      const workflowId = await eventually(() => {
        const [workflow] = (readRows(b)['workflows'] ?? []) as { id: string }[];
        expect(workflow).toBeDefined();
        return workflow?.id ?? '';
      });
      await succeed(call, 'workflows.takeover', { workflowId });
      host.wakeAfter(70_000);

      const slept = await eventually(() => {
        const [here, there] = [readRows(host.dataDir), readRows(b)];
        expect(here['ownership_claims']).toHaveLength(2);
        expect(there['ownership_claims']).toEqual(here['ownership_claims']);
        const first = firstOf(here['mutations'] as Effect[]);
        expect(first?.status).not.toBe('in_flight');
        expect(firstOf(there['mutations'] as Effect[])).toEqual(first);
        return first;
      });
      expect(slept).toMatchObject(outcome);
      // The new owner may make an effect that was not sent.
      expect(postsOf(host)).toBeLessThan(2);
    },
    120_000,
  );
});
