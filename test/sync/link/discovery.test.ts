// Discovery by mDNS. The real test runs in its own network namespace, where one can be created.
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

const canCreateNetwork =
  spawnSync('unshare', ['-rn', 'sh', '-c', OWN_NETWORK], { stdio: 'ignore' }).status === 0;
const why = canCreateNetwork ? '' : ' (not run: cannot create a network namespace)';

describe('mDNS', () => {
  it.skipIf(!canCreateNetwork)(
    `[DI-1] devices find each other by mDNS, pair by the found address, and link again${why}`,
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
      // A device that doesn't listen is not found.
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

  it('[DI-2] on loopback there is no discovery, and devices.nearby returns an empty list', async () => {
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
  ])('[DI-2] any announcement is ignored or yields a valid device', (service, withId) => {
    const txt = withId ? { ...service.txt, id: '0'.repeat(32) } : service.txt;
    const device = readService({ ...service, txt });
    if (device === null) return;
    expect(device.deviceId).toMatch(DEVICE_ID);
    expect(device.name.length).toBeGreaterThan(0);
    expect(device.name.length).toBeLessThanOrEqual(MAX_NAME_LENGTH);
    expect(device.addresses.length).toBeGreaterThan(0);
    expect(device.addresses.length).toBeLessThanOrEqual(MAX_PEER_ADDRESSES);
    for (const address of device.addresses) expect(parseAddress(address)).not.toBeNull();
  });

  it('[DI-2] a valid announcement yields its device; invalid ones yield none', () => {
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
