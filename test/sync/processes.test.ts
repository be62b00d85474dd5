// Hosts in their own processes, paired by the command line, killed and restarted.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { DeviceView } from '#shared/api/devices.ts';
import { succeeds } from '#test/cli/holdfast.ts';
import { succeed } from '#test/support/api-calls.ts';
import { callOver } from '#test/support/http-client.ts';
import { publishMany, startHost } from '#test/support/paired-hosts.ts';
import { exitOf, serveHost, startNode, type ServedHost } from '#test/support/child-processes.ts';
import { countEvents, readRows } from '#test/support/read-rows.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

// Inherited by every process of this file, so that nothing leaves the computer.
beforeAll(() => vi.stubEnv('HOLDFAST_LINK_HOST', '127.0.0.1').stubEnv('HOLDFAST_LINK_PORT', '0'));
afterAll(() => {
  vi.unstubAllEnvs();
});

const EVENTS = 8000;

/** A data folder with events and without a running host. */
async function folderWithEvents(count: number): Promise<string> {
  const dataDir = tempFolder();
  const host = startHost(dataDir, { runsWorkflows: false });
  publishMany(host, count);
  await host.close();
  return dataDir;
}

async function pairByLink(inviter: string, joiner: string): Promise<void> {
  const inviting = startNode('bin/holdfast.mjs', ['pair', '--json', '--data', inviter]);
  const ended = exitOf(inviting);
  const lines = createInterface({ input: inviting.stdout })[Symbol.asyncIterator]();
  const { link } = JSON.parse((await lines.next()).value as string) as { link: string };
  await succeeds('pair', link, '--data', joiner);
  expect(await ended).toBe(0);
}

async function othersOf(host: ServedHost): Promise<DeviceView[]> {
  const { devices } = await succeed((...call) => callOver(host, ...call), 'devices.list', {});
  return devices.filter(({ pairedAt }) => pairedAt !== null);
}

async function addNamed(host: ServedHost, name: string): Promise<void> {
  const input = { requestId: name, name };
  await succeed((...call) => callOver(host, ...call), 'workflows.create', input);
}

function slowly<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 60_000, interval: 50 });
}

async function untilAllLive(...hosts: readonly ServedHost[]): Promise<void> {
  await slowly(async () => {
    for (const host of hosts) {
      const others = await othersOf(host);
      expect(others.length).toBeGreaterThan(0);
      for (const { sync } of others) expect(sync?.state).toBe('live');
    }
  });
}

async function untilEqual(...folders: readonly string[]): Promise<void> {
  await slowly(() => {
    const [first, ...rest] = folders.map(readRows);
    for (const rows of rest) expect(rows).toEqual(first);
  });
}

async function stopCleanly({ child }: ServedHost): Promise<void> {
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = exitOf(child);
  child.stdout.resume();
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(stderr).toBe('');
}

function errorsLogged(dataDir: string): string[] {
  return readFileSync(join(dataDir, 'logs/host.log'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && (JSON.parse(line) as { level: number }).level >= 50);
}

describe('host processes', () => {
  it('[DS-8] three hosts converge after the middle one is killed during a first sync', async () => {
    const [a, b, c] = [await folderWithEvents(EVENTS), tempFolder(), tempFolder()];
    const [hostA, hostC] = await Promise.all([serveHost(a), serveHost(c)]);
    let hostB = await serveHost(b);
    await pairByLink(b, c);
    await untilAllLive(hostB, hostC);

    // A joins B, so its events reach B, and C through B.
    const pairing = pairByLink(b, a).catch(() => 'cut off by the kill');
    await vi.waitFor(
      async () => {
        const done = (await othersOf(hostB)).map(({ sync }) =>
          sync?.state === 'catching-up' ? (sync.incoming?.done ?? 0) : 0,
        );
        expect(Math.max(...done)).toBeGreaterThan(300);
      },
      { timeout: 60_000, interval: 5 },
    );
    const killed = exitOf(hostB.child);
    hostB.child.kill('SIGKILL');
    await killed;
    const arrived = countEvents(b);
    expect(arrived).toBeGreaterThan(0);
    expect(arrived).toBeLessThan(EVENTS);
    await pairing;

    hostB = await serveHost(b);
    // B has a new port and dials both.
    await untilAllLive(hostA, hostB, hostC);
    await addNamed(hostA, 'Written on A');
    await addNamed(hostC, 'Written on C');
    await untilEqual(a, b, c);
    expect(countEvents(c)).toBe(EVENTS);
    expect(readRows(a)['workflows']).toHaveLength(2);
    expect(readRows(a)['devices']).toHaveLength(3);

    const shown = await succeeds('devices', '--data', b);
    expect(shown).toMatch(/STATE +SYNC +LAST SYNCED/);
    expect(shown.match(/ linked +live +\d{4}-\d\d-\d\d /g)).toHaveLength(2);

    for (const host of [hostA, hostB, hostC]) await stopCleanly(host);
    for (const dir of [a, b, c]) expect(errorsLogged(dir)).toEqual([]);
    expect(readRows(b)).toEqual(readRows(a));
  }, 120_000);

  it('[DS-8] two hosts lose nothing when one is killed repeatedly while both write', async () => {
    const [a, b] = [tempFolder(), tempFolder()];
    const hostA = await serveHost(a);
    let hostB = await serveHost(b);
    await pairByLink(a, b);
    for (let round = 0; round < 3; round += 1) {
      await untilAllLive(hostA, hostB);
      await Promise.all([addNamed(hostA, `A ${round}`), addNamed(hostB, `B ${round}`)]);
      const killed = exitOf(hostB.child);
      hostB.child.kill('SIGKILL');
      await killed;
      await addNamed(hostA, `A ${round}, alone`);
      hostB = await serveHost(b);
    }
    await untilAllLive(hostA, hostB);
    await untilEqual(a, b);
    expect(readRows(b)['workflows']).toHaveLength(9);
    await Promise.all([stopCleanly(hostA), stopCleanly(hostB)]);
    for (const dir of [a, b]) expect(errorsLogged(dir)).toEqual([]);
  }, 120_000);
});
