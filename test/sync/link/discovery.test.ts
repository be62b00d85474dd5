// Finding devices by mDNS. The real thing runs in a network namespace of its own, where that may be
// made; nothing here is heard outside.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { fc, it as forAll } from '@fast-check/vitest';
import { readService } from '#main/sync/link/discovery.ts';
import { MAX_NAME_LENGTH, MAX_PEER_ADDRESSES } from '#shared/limits.ts';
import { parseAddress } from '#shared/sync/address.ts';
import { DEVICE_ID } from '#shared/sync/device-id.ts';
import { succeed } from '#test/support/api-calls.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { runProgram } from '#test/support/child-processes.ts';

const OWN_NETWORK = [
  'ip link set lo up',
  'ip link add near type veth peer name far',
  'ip addr add 10.99.0.1/24 dev near',
  'ip link set near up',
  'ip link set far up',
  'ip route add 224.0.0.0/4 dev near',
].join(' && ');

const canMakeNetwork =
  spawnSync('unshare', ['-rn', 'sh', '-c', OWN_NETWORK], { stdio: 'ignore' }).status === 0;
const why = canMakeNetwork ? '' : ' (not run: no network namespace can be made here)';

describe('mDNS', () => {
  it.skipIf(!canMakeNetwork)(
    `[DI-1] devices of one network find each other, pair by what they found, and meet again${why}`,
    async () => {
      const worker = `${process.execPath} test/support/workers/nearby-hosts.ts`;
      const ended = await runProgram(
        'unshare',
        ['-rn', 'sh', '-c', `${OWN_NETWORK} && exec ${worker}`],
        process.cwd(),
      );
      expect(ended.stderr).toBe('');
      expect(ended.code).toBe(0);
      const [before, after, linked, again] = ended.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as never);
      // Nobody is found while its door is shut.
      expect(before).toEqual({ before: [] });
      const { found, deskId } = after as unknown as {
        found: { deviceId: string; addresses: string[] };
        deskId: string;
      };
      expect(found).toMatchObject({ deviceId: deskId, name: 'Desk', isPaired: false });
      expect(found.addresses.some((address) => address.startsWith('10.99.0.1:'))).toBe(true);
      expect(linked).toEqual({ linked: true });
      const { foundAgain } = again as unknown as { foundAgain: string[] };
      expect(foundAgain.some((address) => address.startsWith('10.99.0.1:'))).toBe(true);
    },
    60_000,
  );

  it('[DI-2] none is needed: on loopback nobody is looked for, and the call answers', async () => {
    const host = createTestHost();
    expect(await succeed(host.dispatch, 'devices.nearby', {})).toEqual({ devices: [] });
  });

  forAll.prop([
    fc.record(
      {
        txt: fc.option(
          fc.record(
            { id: fc.anything(), name: fc.anything(), waiting: fc.anything() },
            { requiredKeys: [] },
          ),
        ),
        port: fc.oneof(fc.integer(), fc.double()),
        addresses: fc.array(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), { maxLength: 20 }),
      },
      { requiredKeys: ['port'] },
    ),
    fc.boolean(),
  ])('[DI-2] whatever is said there, only what fits is shown', (said, withId) => {
    const txt = withId ? { ...said.txt, id: '0'.repeat(32) } : said.txt;
    const device = readService({ ...said, txt });
    if (device === null) return;
    expect(device.deviceId).toMatch(DEVICE_ID);
    expect(device.name.length).toBeGreaterThan(0);
    expect(device.name.length).toBeLessThanOrEqual(MAX_NAME_LENGTH);
    expect(device.addresses.length).toBeGreaterThan(0);
    expect(device.addresses.length).toBeLessThanOrEqual(MAX_PEER_ADDRESSES);
    for (const address of device.addresses) expect(parseAddress(address)).not.toBeNull();
  });

  it('[DI-2] a device that fits is shown as it says it is', () => {
    const txt = { id: '0'.repeat(32), name: ' Desk ', waiting: '1' };
    expect(
      readService({ txt, port: 47_470, addresses: ['10.0.0.1', 'fe80::1', 'fd00::1'] }),
    ).toEqual({
      deviceId: '0'.repeat(32),
      name: 'Desk',
      addresses: ['10.0.0.1:47470', '[fd00::1]:47470'],
      isWaiting: true,
    });
    expect(readService({ txt: { ...txt, id: 'x' }, port: 1, addresses: ['10.0.0.1'] })).toBeNull();
    expect(readService({ txt, port: 0, addresses: ['10.0.0.1'] })).toBeNull();
    expect(readService({ txt, port: 1, addresses: ['nowhere'] })).toBeNull();
  });
});
