// Devices and pairing from the command line, with hosts in their own processes.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DeviceView } from '#shared/api/devices.ts';
import { holdfast, refused, succeeds } from '#test/cli/holdfast.ts';
import { exitOf, serveHost, startNode } from '#test/support/child-processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

// Inherited by every process of this file, so that nothing leaves the machine.
beforeAll(() => vi.stubEnv('HOLDFAST_LINK_HOST', '127.0.0.1').stubEnv('HOLDFAST_LINK_PORT', '0'));
afterAll(() => {
  vi.unstubAllEnvs();
});

async function devicesOf(dataDir: string): Promise<DeviceView[]> {
  const listed = await succeeds('devices', '--json', '--data', dataDir);
  return (JSON.parse(listed) as { devices: DeviceView[] }).devices;
}

/** Runs `holdfast pair --json`; returns its lines and its exit code. */
function invite(dataDir: string): { lines: AsyncIterator<string>; ended: Promise<number | null> } {
  const child = startNode('bin/holdfast.mjs', ['pair', '--json', '--data', dataDir]);
  const ended = exitOf(child);
  return { lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](), ended };
}

async function nextJson<Line>(lines: AsyncIterator<string>): Promise<Line> {
  return JSON.parse((await lines.next()).value as string) as Line;
}

async function untilState(dataDir: string, state: DeviceView['state']): Promise<DeviceView> {
  return vi.waitFor(
    async () => {
      const found = (await devicesOf(dataDir)).find((device) => device.state === state);
      if (!found) throw new Error(`no device is ${state} yet`);
      return found;
    },
    { timeout: 20_000, interval: 200 },
  );
}

describe('two hosts', () => {
  it('[PA-10] [CL-8] are paired by a link, linked, not tried at another address, renamed and unpaired from the command line', async () => {
    const [desk, laptop] = [tempFolder(), tempFolder()];
    await Promise.all([serveHost(desk), serveHost(laptop)]);
    await succeeds('rename', 'Desk', '--data', desk);
    await succeeds('rename', 'Laptop', '--data', laptop);

    const inviting = invite(desk);
    const { link } = await nextJson<{ link: string }>(inviting.lines);
    expect(link).toMatch(
      /^holdfast:\/\/pair\?v=1&d=[0-9a-z]{32}&t=[0-9a-f]{32}&a=127\.0\.0\.1:\d+$/,
    );
    expect(await succeeds('pair', link, '--data', laptop)).toBe('Paired with "Desk".\n');
    const { paired } = await nextJson<{ paired: { deviceId: string; name: string } }>(
      inviting.lines,
    );
    expect(paired.name).toBe('Laptop');
    expect(await inviting.ended).toBe(0);

    const [peerOfDesk, peerOfLaptop] = await Promise.all([
      untilState(desk, 'linked'),
      untilState(laptop, 'linked'),
    ]);
    expect(peerOfDesk).toMatchObject({ id: paired.deviceId, name: 'Laptop', problem: null });
    expect(peerOfLaptop.name).toBe('Desk');
    expect(await succeeds('reach', paired.deviceId, '127.0.0.1:1', '--data', desk)).toBe(
      'Already connected to "Laptop". The address was not tried.\n',
    );
    const infos = await Promise.all(
      [desk, laptop].map(
        async (dir) =>
          JSON.parse(await succeeds('call', 'host.info', '--data', dir)) as { spaceId: string },
      ),
    );
    expect(infos[0]?.spaceId).toBe(infos[1]?.spaceId);

    // The link works only once.
    const third = tempFolder();
    expect(await refused('pair', link, '--data', third)).toContain(
      'Another device already used this link',
    );

    const unpaired = await succeeds('unpair', 'Laptop', '--data', desk);
    expect(unpaired).toContain('Unpaired "Laptop" and notified it.');
    await untilState(laptop, 'unpaired');
    expect((await devicesOf(desk)).map(({ state }) => state)).toEqual(['this', 'unpaired']);
    expect(await refused('unpair', 'Laptop', '--data', desk)).toContain(
      'There is no paired device with the name or id "Laptop"',
    );
  }, 60_000);

  it('[PA-10] reconnect after a restart at the last known address', async () => {
    const [desk, laptop] = [tempFolder(), tempFolder()];
    const first = await serveHost(desk);
    const second = await serveHost(laptop);
    const inviting = invite(desk);
    const { link } = await nextJson<{ link: string }>(inviting.lines);
    await succeeds('pair', link, '--data', laptop);
    await untilState(desk, 'linked');
    second.child.kill('SIGKILL');
    await exitOf(second.child);
    await untilState(desk, 'away');
    // Its port has changed, so it must connect to the desk's known address.
    await serveHost(laptop);
    await Promise.all([untilState(desk, 'linked'), untilState(laptop, 'linked')]);
    first.child.kill('SIGTERM');
    await exitOf(first.child);
    const away = await untilState(laptop, 'away');
    expect(away.problem?.name).toMatch(/^(closing|unreachable|connection-lost)$/);
  });

  it('[PA-10] can be paired without a running host, and link when both run', async () => {
    const [desk, laptop] = [tempFolder(), tempFolder()];
    const inviting = invite(desk);
    const { link } = await nextJson<{ link: string }>(inviting.lines);
    expect(await succeeds('pair', link, '--data', laptop)).toContain(
      'No host is running on this data folder.',
    );
    expect(await inviting.ended).toBe(0);
    await serveHost(desk, [
      '--link-port',
      new URL(link).searchParams.get('a')?.split(':')[1] as string,
    ]);
    await serveHost(laptop);
    await Promise.all([untilState(desk, 'linked'), untilState(laptop, 'linked')]);
  });

  it('[DK-2] write neither the device key nor the token of a link to their logs', async () => {
    const [desk, laptop] = [tempFolder(), tempFolder()];
    await Promise.all([serveHost(desk), serveHost(laptop)]);
    const inviting = invite(desk);
    const { link } = await nextJson<{ link: string }>(inviting.lines);
    await succeeds('pair', link, '--data', laptop);
    await untilState(desk, 'linked');
    const token = new URL(link).searchParams.get('t') as string;
    for (const dir of [desk, laptop]) {
      const log = readFileSync(join(dir, 'logs/host.log'), 'utf8');
      const { secrets } = JSON.parse(readFileSync(join(dir, 'device-key.json'), 'utf8')) as {
        secrets: { device: { value: string } };
      };
      expect(log).not.toContain(token);
      expect(log).not.toContain(secrets.device.value.split('\n')[1]);
    }
  });
});

describe('output', () => {
  it('[PA-10] pair shows a QR code and the command for the other device', async () => {
    const dataDir = tempFolder();
    const child = startNode('bin/holdfast.mjs', ['pair', '--data', dataDir]);
    let shown = '';
    child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    await vi.waitFor(() => expect(shown).toContain('Waiting …'), { timeout: 20_000 });
    expect(shown).toMatch(/^█.*█$/m);
    expect(shown).toMatch(/ {2}holdfast pair 'holdfast:\/\/pair\?\S+'/);
  });

  it.each([
    ['https://example.org', /^holdfast: This isn't a pairing link .* Copy the whole link again/],
    ['holdfast://pair?v=9&d=x', /^holdfast: The two devices run versions .* Update the older one/],
    [
      `holdfast://pair?v=1&d=${'0'.repeat(32)}&t=${'0'.repeat(32)}&a=127.0.0.1:1`,
      /^holdfast: None of the other device's addresses respond. Make sure it's on/,
    ],
  ])('[PA-8] %s is refused with the reason and the fix', async (link, message) => {
    expect(await refused('pair', link, '--data', tempFolder())).toMatch(message);
  });

  it('[DK-6] a single device is listed with its name and a hint to pair another; a blank name is refused', async () => {
    const dataDir = tempFolder();
    expect(await succeeds('rename', 'My desk', '--data', dataDir)).toBe(
      'Renamed this device to "My desk".\n',
    );
    const shown = await succeeds('devices', '--data', dataDir);
    expect(shown).toMatch(/My desk +this device/);
    expect(shown).toContain('holdfast pair');
    expect((await holdfast('rename', ' ', '--data', dataDir)).code).toBe(1);
  });
});

describe('pairing by digits', () => {
  /** Runs a command with an open standard input. */
  function terminal(...args: readonly string[]): {
    shown: () => string;
    say: (text: string) => void;
    ended: Promise<number | null>;
  } {
    const child = spawn(process.execPath, ['bin/holdfast.mjs', ...args], { cwd: root });
    onTestFinished(() => void child.kill('SIGKILL'));
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    }
    return {
      shown: () => text,
      say: (answer) => void child.stdin.write(`${answer}\n`),
      ended: exitOf(child),
    };
  }

  it.each([
    ['y', 0, /Paired with "(Desk|Laptop)"/],
    ['n', 1, /The digits didn't match.* Start again/],
  ])(
    '[PA-6] both devices show the same digits; the answer "%s" exits with %i',
    async (word, code, message) => {
      const [desk, laptop] = [tempFolder(), tempFolder()];
      await succeeds('rename', 'Desk', '--data', desk);
      await succeeds('rename', 'Laptop', '--data', laptop);
      const host = await serveHost(desk);
      expect(host.pid).toBeGreaterThan(0);
      const waiting = terminal('pair', '--nearby', '--data', desk);
      await vi.waitFor(() => expect(waiting.shown()).toContain('Waiting for up to ten minutes'), {
        timeout: 20_000,
      });
      // Discovery may not work here, so the address comes from an invitation.
      const { link } = JSON.parse(await succeeds('call', 'devices.invite', '--data', desk)) as {
        link: string;
      };
      const address = new URL(link).searchParams.get('a') as string;
      const starting = terminal('pair', '--with', address, '--data', laptop);
      for (const side of [waiting, starting]) {
        await vi.waitFor(() => expect(side.shown()).toMatch(/\d{3} \d{3}/), { timeout: 20_000 });
      }
      const digits = /\d{3} \d{3}/.exec(waiting.shown())?.[0];
      expect(starting.shown()).toContain(digits);
      expect(starting.shown()).toContain('Does "Desk" show the same digits?');
      starting.say(word);
      if (word === 'y') waiting.say(word);
      else await vi.waitFor(() => expect(starting.shown()).toMatch(message), { timeout: 20_000 });
      expect(await starting.ended).toBe(code);
      expect(starting.shown()).toMatch(message);
      const states = (await devicesOf(desk)).map(({ state }) => state);
      expect(states.length).toBe(code === 0 ? 2 : 1);
    },
  );

  it('[DI-1] an unknown name is refused with the command to run on the other device', async () => {
    expect(await refused('pair', '--with', 'Nobody', '--data', tempFolder())).toMatch(
      /No device nearby is called "Nobody".*pair --nearby/,
    );
  });
});
