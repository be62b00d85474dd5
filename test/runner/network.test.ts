// Scripts that run without a network (`network: 'none'`), in real namespaces.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createNetworkIsolation } from '#main/runner/network-isolation.ts';
import { registrySchema } from '#shared/runner/registry.ts';
import { succeed } from '#test/support/api-calls.ts';
import { startRunner } from '#test/support/start-runner.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const isolation = createNetworkIsolation();
const problem = await isolation.check();
if (problem !== null) console.log(`not run: scripts without a network: ${problem}`);

async function startServer(): Promise<{
  readonly port: number;
  readonly connections: () => number;
}> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    socket.end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

/** Prints `in`, or the code of the error. */
const dial = (port: number): string =>
  `${process.execPath} -e "require('node:net').connect(${port}, '127.0.0.1').on('connect', function () { console.log('in'); this.end(); }).on('error', (e) => console.log(e.code))"`;

describe.skipIf(problem !== null)('where namespaces can be made', () => {
  test('[EG-6] a script without a network reaches nothing, not even this machine; another one does', async () => {
    const server = await startServer();
    const sh = `id -u; ${dial(server.port)}`;
    const runner = startRunner({ scripts: { open: { sh }, shut: { sh, network: 'none' } } });
    const [open, shut] = [await runner.outcome('open'), await runner.outcome('shut')];
    const uid = process.getuid?.();
    expect(runner.output(open)).toBe(`${uid}\nin\n`);
    expect(runner.output(shut)).toMatch(new RegExp(`^${uid}\nE(NETUNREACH|CONNREFUSED)\n$`));
    expect(server.connections()).toBe(1);
    expect([open, shut].map(({ state }) => state.status)).toEqual(['succeeded', 'succeeded']);
  });

  test('[EG-6] it can’t enter the network of the host again', async () => {
    const server = await startServer();
    const sh = `nsenter -t ${process.pid} -n ${dial(server.port)} || echo refused`;
    const runner = startRunner({ scripts: { shut: { sh, network: 'none' } } });
    expect(runner.output(await runner.outcome('shut'))).toMatch(/Permission denied|not permitted/);
    expect(server.connections()).toBe(0);
  });

  test('[EG-6] [RX-4] it is canceled like any other, with the processes that it started', async () => {
    const runner = startRunner({
      scripts: { shut: { sh: 'sleep 300 & echo up; wait', network: 'none', graceSeconds: 1 } },
    });
    const job = runner.run('shut');
    await runner.said(job, 'up');
    runner.host.runner.queue.cancel(job.id);
    expect((await runner.ended(job)).state.status).toBe('canceled');
  });

  test('[EG-6] its exit code is that of the script', async () => {
    const runner = startRunner({ scripts: { shut: { sh: 'exit 7', network: 'none' } } });
    expect((await runner.outcome('shut')).state).toMatchObject({ exitCode: 7 });
  });

  test.skipIf(process.getuid?.() !== 0)('[EG-6] a plain user can have it, too', async () => {
    const server = await startServer();
    const { executable, argv } = isolation.wrap('/bin/sh', ['-c', `id -u; ${dial(server.port)}`]);
    const asNobody = { uid: 65_534, gid: 65_534 };
    const child = spawn(executable, argv, { ...asNobody, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    await once(child, 'close');
    expect(said).toMatch(/^65534\nE(NETUNREACH|CONNREFUSED)\n$/);
    expect(server.connections()).toBe(0);
  });
});

describe('where it can’t be enforced', () => {
  const refusing = {
    check: async () => 'only Linux can do that',
    wrap: (executable: string, argv: readonly string[]) => ({ executable, argv: [...argv] }),
  };

  test('[EG-7] the script is not started, and the job says why', async () => {
    const runner = startRunner({
      scripts: { open: { sh: 'echo ran' }, shut: { sh: 'echo ran', network: 'none' } },
      host: { isolation: refusing },
    });
    expect((await runner.outcome('open')).state.status).toBe('succeeded');
    const job = await runner.outcome('shut');
    expect(job.state).toMatchObject({ status: 'failed', reason: 'not_allowed' });
    expect(job.spawn).toBeNull();
    const { detail } = runner.host.stores.runnerJobs.events(job.id).at(-1) ?? {};
    expect(detail).toMatchObject({
      message:
        '"shut" must run without a network ("network": "none"), which can\'t be enforced on this system: only Linux can do that. It was not started. Run it on another device, or allow the network in the registry.',
    });
  });

  test('[EG-7] the list of scripts names each script that can’t run', async () => {
    const runner = startRunner({
      scripts: { open: { sh: 'true' }, shut: { sh: 'true', network: 'none' } },
      host: { isolation: refusing },
    });
    const overview = await succeed(runner.host.dispatch, 'runner.overview', {});
    expect(overview.problems).toEqual([
      expect.stringContaining(`The script "shut" can't run: `) as string,
    ]);
    expect(overview.scripts.map(({ network }) => network)).toEqual(['host', 'none']);
  });

  test('[EG-7] other systems, and Linux where unshare fails, can’t enforce it', async () => {
    for (const platform of ['darwin', 'win32'] as const) {
      expect(await createNetworkIsolation(platform).check()).toBe('only Linux can do that');
    }
    const folder = tempFolder();
    const script = '#!/bin/sh\necho "unshare failed: Operation not permitted" >&2\nexit 1\n';
    writeFileSync(join(folder, 'unshare'), script, { mode: 0o755 });
    expect(await createNetworkIsolation('linux', { PATH: folder }).check()).toBe(
      'a network namespace could not be created (unshare failed: Operation not permitted)',
    );
  });
});

test('[EG-6] the registry takes "host" and "none", and "host" is the default', () => {
  const parse = (more: object) =>
    registrySchema.safeParse({
      repos: {},
      scripts: { a: { title: 'A', executable: 'a.sh', ...more } },
    });
  expect(parse({}).data?.scripts['a']?.network).toBe('host');
  expect(parse({ network: 'none' }).data?.scripts['a']?.network).toBe('none');
  for (const network of ['off', true, null]) expect(parse({ network }).success).toBe(false);
});
