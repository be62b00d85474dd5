// Costs on the command line and over the API, from a real server that names them.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostForFile, succeeds, type FileHost } from '#test/cli/holdfast.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
const data = ['--data', dataDir];
let host: FileHost;
let server: Server;

const sourceFor = (address: string): string => `
import { workflow } from 'holdfast';
export default workflow({
  name: 'paid', topics: ['in'], uses: { http: { hosts: ['${address}'] } },
  consumers: { ask: {
    subscribes: 'in',
    async prepare(ctx) {
      const [event] = await ctx.peek('in', { limit: 1 });
      if (!event) return;
      const url = 'http://${address}/price';
      await ctx.tools.http.get({ url, cost: { jsonPath: 'usd' } });
      return { reservations: [event] };
    },
    async mutate(ctx) {
      await ctx.tools.http.post({ url: 'http://${address}/buy', cost: { usd: 1 } });
    },
  } },
});`;

const FREE = `
import { workflow } from 'holdfast';
export default workflow({ name: 'free', topics: ['in'], consumers: { take: {
  subscribes: 'in', async prepare(ctx) { return { reservations: await ctx.peek('in') }; },
} } });`;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.end('{"usd":0.0123}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  host = await hostForFile(dataDir);
  for (const [name, source] of [
    ['paid', sourceFor(address)],
    ['free', FREE],
  ] as const) {
    const path = join(dataDir, `${name}.ts`);
    writeFileSync(path, source);
    await host.call('workflows.add', { path });
  }
}, 60_000);
afterAll(async () => {
  await host.stop();
  server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const lines = (text: string): string[] => text.trimEnd().split('\n');
const first = <Row>(rows: readonly Row[]): Row => rows[0] as Row;

describe('costs', () => {
  it('[CO-11] without any, no list has a column for them', async () => {
    await succeeds('start', 'free', '--input', '{}', '--wait', ...data);
    for (const command of ['list', 'runs', 'inputs']) {
      expect(lines(await succeeds(command, ...data))[0]).not.toContain('COST');
    }
  });

  it('[CO-11] are printed by list, runs, inputs and show, and are microdollars with --json', async () => {
    await succeeds('start', 'paid', '--input', '{}', '--wait', ...data);
    expect(await succeeds('list', ...data)).toMatch(/COST TODAY[^]*paid .* \$1\.0123 /);
    expect(await succeeds('runs', 'paid', ...data)).toMatch(/COST +TITLE\n.* \$1\.0123 /);
    expect(await succeeds('inputs', ...data)).toMatch(/COST +TITLE\n.* \$1\.0123 [^]* – /);
    const json = async <Output>(...args: string[]): Promise<Output> =>
      JSON.parse(await succeeds(...args, '--json', ...data)) as Output;
    const cost = 1_012_300;
    const { workflows } = await json<{ workflows: { name: string; cost: object }[] }>('list');
    expect(workflows.find(({ name }) => name === 'paid')?.cost).toEqual({
      today: cost,
      total: cost,
    });
    const run = first((await json<{ runs: { id: string; cost: number }[] }>('runs', 'paid')).runs);
    const input = first(
      (await json<{ inputs: { id: string; cost: number }[] }>('inputs', 'paid')).inputs,
    );
    expect([run.cost, input.cost]).toEqual([cost, cost]);
    expect(await json('show', run.id)).toMatchObject({ cost, mutation: { cost: 1_000_000 } });
    expect(await succeeds('show', run.id, ...data)).toMatch(
      /\ncost \$1\.0123\n[^]*\n {2}cost \$1\.00\n/,
    );
    expect(await succeeds('show', input.id, ...data)).toMatch(
      /\ncost \$1\.0123\n[^]*\(run .*\) {2}\$1\.0123\n/,
    );
  });
});
