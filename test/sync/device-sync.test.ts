// Sync between whole hosts: real databases, real TLS on loopback.
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pino } from 'pino';
import type { Host } from '#main/host/host.ts';
import { PROTOCOL_VERSION } from '#main/sync/session/control-messages.ts';
import { connectToPeer } from '#main/sync/link/connect.ts';
import { systemClock } from '#main/platform/system.ts';
import type { OpenKey } from '#main/sync/link/secure-socket.ts';
import { encodeControl } from '#main/sync/session/control-messages.ts';
import { SYNC_NOTIFY_EVERY_MS } from '#shared/limits.ts';
import { succeed } from '#test/support/api-calls.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { eventually } from '#test/support/eventually.ts';
import {
  addNamed,
  pairHosts,
  publishMany,
  seenBy,
  startHost,
  untilEqual,
  untilLive,
} from '#test/support/paired-hosts.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { makeKey } from '#test/sync/link/devices.ts';

const keyOf = (host: Host): OpenKey => host.folder.identity as OpenKey;

const spaceKeyIn = (host: Host): string =>
  (
    JSON.parse(readFileSync(join(host.folder.dir, 'secrets.json'), 'utf8')) as {
      secrets: { [name: string]: { value: string } };
    }
  ).secrets['holdfast.space-key']?.value ?? '';

describe('paired hosts', () => {
  it('[DS-1] paired hosts sync earlier and later rows in both directions', async () => {
    const [desk, laptop] = [startHost(), startHost()];
    await addNamed(desk, 'Before, at the desk');
    await addNamed(laptop, 'Before, on the laptop');
    await pairHosts(desk, laptop);
    await untilLive(desk, laptop);
    await untilEqual(desk, laptop);
    await addNamed(desk, 'Later, at the desk');
    await addNamed(laptop, 'Later, on the laptop');
    await untilEqual(desk, laptop);
    const names = dumpRows(laptop.folder.db)['workflows'];
    expect(names).toHaveLength(4);
    const view = await seenBy(desk, laptop);
    expect(view).toMatchObject({ state: 'linked', problem: null, sync: { state: 'live' } });
    expect(view.syncedAt).toBeGreaterThan(Date.now() - 60_000);
  });

  it('[DS-2] rows reach a host through a host in the middle', async () => {
    const [one, middle, other] = [startHost(), startHost(), startHost()];
    await pairHosts(one, middle);
    await pairHosts(middle, other);
    await untilLive(one, middle);
    await untilLive(middle, other);
    await addNamed(one, 'From one end');
    await addNamed(other, 'From the other end');
    await untilEqual(one, middle, other);
    expect(dumpRows(one.folder.db)['workflows']).toHaveLength(2);
    expect((await seenBy(one, other)).state).toBe('known');
  });

  it('[DS-3] the feed reports new states and, at intervals, progress', async () => {
    const [desk, laptop] = [startHost(), startHost()];
    publishMany(desk, 3000);
    const notified: number[] = [];
    const seen = new Set<string>();
    const figures: number[] = [];
    laptop.folder.db.changes.subscribe((changes) => {
      if (!changes.get('devices')?.has(desk.folder.identity.deviceId)) return;
      notified.push(performance.now());
      void seenBy(laptop, desk).then(({ sync }) => {
        if (sync) seen.add(sync.state);
        if (sync?.state === 'catching-up' && sync.incoming) {
          expect(sync.incoming.done).toBeLessThanOrEqual(sync.incoming.total);
          figures.push(sync.incoming.total);
        }
      });
    });
    const startedAt = performance.now();
    await pairHosts(desk, laptop);
    await untilLive(desk, laptop);
    await untilEqual(desk, laptop);
    const took = performance.now() - startedAt;
    expect([...seen]).toEqual(expect.arrayContaining(['catching-up', 'live']));
    expect(Math.max(...figures)).toBeGreaterThanOrEqual(6000);
    // Progress is limited by time; the other messages are states, links and pairing.
    expect(notified.length).toBeLessThan(took / SYNC_NOTIFY_EVERY_MS + 16);
  });

  it('[DS-11] a pairing window and the end of a session are reported without a transaction', async () => {
    const [desk, laptop] = [startHost(), startHost()];
    await pairHosts(desk, laptop);
    await untilLive(desk, laptop);
    await untilEqual(desk, laptop);
    const { db } = desk.folder;
    const writtenRows = (): number => db.value<number>('SELECT total_changes()') ?? 0;
    const reported = new Set<string>();
    let before = writtenRows();
    let emptyCommits = 0;
    db.changes.subscribe((changed) => {
      for (const id of changed.get('devices') ?? []) reported.add(id);
    });
    db.changes.onCommit(() => {
      if (writtenRows() === before) emptyCommits += 1;
      before = writtenRows();
    });
    await succeed(desk.dispatch, 'devices.compare.open', {});
    await laptop.close();
    const laptopId = laptop.folder.identity.deviceId;
    await eventually(async () => expect((await listed(desk, laptopId)).state).toBe('away'));
    expect([...reported]).toEqual(expect.arrayContaining(['pairing', laptopId]));
    expect(emptyCommits).toBe(0);
  });

  it('[DS-3] the last sync time survives a restart', async () => {
    const [here, there] = [tempFolder(), tempFolder()];
    const [desk, laptop] = [startHost(here), startHost(there)];
    await pairHosts(desk, laptop);
    await untilLive(desk, laptop);
    const deskId = desk.folder.identity.deviceId;
    await desk.close();
    await eventually(async () =>
      expect(await listed(laptop, deskId)).toMatchObject({
        state: 'away',
        sync: { state: 'ended', name: expect.stringMatching(/^(closing|connection-lost)$/) },
      }),
    );
    const { syncedAt } = await listed(laptop, deskId);
    await laptop.close();
    const again = startHost(there);
    expect(await listed(again, deskId)).toMatchObject({ state: 'away', sync: null, syncedAt });
    expect(syncedAt).toBeGreaterThan(Date.now() - 60_000);
  });

  it('[DS-3] after unpairing nothing more is synced and no session is shown', async () => {
    const [desk, laptop] = [startHost(), startHost()];
    await pairHosts(desk, laptop);
    await untilLive(desk, laptop);
    await addNamed(desk, 'Shared');
    await untilEqual(desk, laptop);
    const deviceId = laptop.folder.identity.deviceId;
    await succeed(desk.dispatch, 'devices.unpair', { deviceId });
    await eventually(async () => expect((await seenBy(laptop, desk)).state).toBe('unpaired'));
    await addNamed(desk, 'Mine');
    expect(await seenBy(desk, laptop)).toMatchObject({ state: 'unpaired', sync: null });
    expect(dumpRows(laptop.folder.db)['workflows']).toHaveLength(1);
  });

  it('[DS-4] a peer with a newer protocol is reported as update-needed and gets no changes', async () => {
    const desk = startHost();
    await addNamed(desk, 'Kept');
    const key = makeKey();
    const { deviceId, keyHash } = key;
    desk.stores.peers.pair({ deviceId, keyHash, name: 'Old', addresses: [], pairedBy: 'link' });
    desk.links.peersChanged();
    await eventually(() => expect(desk.links.network.port).not.toBeNull());
    const { link } = await connectToPeer({
      key,
      peer: keyOf(desk),
      address: `127.0.0.1:${desk.links.network.port}`,
      ownAddresses: [],
      clock: systemClock,
      log: pino({ level: 'silent' }),
      signal: new AbortController().signal,
    });
    const frames: Uint8Array[] = [];
    link.onFrame((frame) => void frames.push(frame));
    const ended = new Promise<string>((resolve) => link.onClose(({ name }) => resolve(name)));
    const hello = { type: 'hello', protocol: PROTOCOL_VERSION + 1 };
    await link.send(Buffer.concat([Buffer.of(1), Buffer.from(JSON.stringify(hello))]));
    expect(await ended).toBe('update-needed');
    const [view] = (await succeed(desk.dispatch, 'devices.list', {})).devices.slice(1);
    expect(view).toMatchObject({
      sync: { state: 'update-needed', who: 'us', message: expect.stringContaining('Update it') },
      problem: { name: 'update-needed' },
    });
    // It got our hello and nothing else.
    expect(frames).toHaveLength(1);
    expect(encodeControl({ type: 'caught-up' })[0]).toBe(frames[0]?.[0]);
  });

  it('[DS-5] a host can close during a first sync, and its peer sees the session end', async () => {
    const [desk, laptop] = [startHost(), startHost()];
    publishMany(desk, 3000);
    await pairHosts(desk, laptop);
    await eventually(async () =>
      expect((await seenBy(laptop, desk)).sync?.state).toBe('catching-up'),
    );
    await laptop.close();
    expect(laptop.folder.db.isOpen).toBe(false);
    await eventually(async () => expect((await seenBy(desk, laptop)).sync?.state).toBe('ended'));
  });
});

describe('space key', () => {
  it("[DS-6] pairing shares the space key, so both hosts can sync through a folder; others can't", async () => {
    const [desk, laptop, stranger] = [startHost(), startHost(), startHost()];
    const dir = tempFolder();
    await addNamed(laptop, 'Written before it joined');
    await succeed(laptop.dispatch, 'sync.folder', { dir });
    await pairHosts(desk, laptop);
    // Only the folder from here on.
    await desk.links.network.stop();
    await addNamed(desk, 'Only in the folder');
    for (const host of [desk, laptop, desk]) {
      const report = await succeed(host.dispatch, 'sync.folder', { dir });
      expect(report.problems).toEqual([]);
    }
    await untilEqual(desk, laptop);
    expect(dumpRows(laptop.folder.db)['workflows']).toHaveLength(2);
    expect(spaceKeyIn(laptop)).toMatch(/^[0-9a-f]{64}$/);
    expect(spaceKeyIn(laptop)).toBe(spaceKeyIn(desk));
    const report = await succeed(stranger.dispatch, 'sync.folder', { dir });
    expect(report).toMatchObject({ read: 0, devices: [] });
    expect(spaceKeyIn(stranger)).not.toBe(spaceKeyIn(desk));
  });

  it('[DS-6] the space key is in no log and no database file, and the API neither lists nor sets it', async () => {
    const lines: string[] = [];
    const createLog = () => pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
    const desk = startHost(undefined, { createLog });
    const laptop = startHost(undefined, { createLog });
    await pairHosts(desk, laptop);
    await untilLive(desk, laptop);
    const key = spaceKeyIn(desk);
    expect(key).toHaveLength(64);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('')).not.toContain(key);
    expect(JSON.stringify(dumpRows(laptop.folder.db))).not.toContain(key);
    expect(await succeed(laptop.dispatch, 'secrets.names', {})).toEqual({ names: [] });
    const set = await laptop.dispatch('secrets.set', { name: 'holdfast.space-key', value: 'x' });
    expect(set.ok).toBe(false);
    expect(spaceKeyIn(laptop)).toBe(key);
    await laptop.close();
    for (const file of readdirSync(laptop.folder.dir)) {
      if (!file.startsWith('holdfast.db')) continue;
      expect(readFileSync(join(laptop.folder.dir, file)).includes(key)).toBe(false);
    }
  });
});

describe('copied data folder', () => {
  it('[DS-7] a copied folder has no peers, cursors or space key, and pairs and syncs as a new device', async () => {
    const parent = tempFolder();
    const desk = startHost(join(parent, 'desk'));
    const laptop = startHost();
    publishMany(desk, 20);
    await addNamed(laptop, 'From the laptop');
    await pairHosts(desk, laptop);
    await untilLive(desk, laptop);
    await untilEqual(desk, laptop);
    await desk.close();
    cpSync(join(parent, 'desk'), join(parent, 'copy'), { recursive: true });
    const copy = startHost(join(parent, 'copy'));
    const ids = copy.folder.db.all<{ id: string }>('SELECT id FROM lineages');
    for (const table of ['peers', 'peer_cursors', 'merged_versions', 'staged_changes']) {
      expect(copy.folder.db.all(`SELECT * FROM ${table}`)).toEqual([]);
    }
    await eventually(() => expect(spaceKeyIn(copy)).toBe(''));
    const desk2 = startHost(join(parent, 'desk'));
    const known = desk2.folder.db.all<{ id: string }>('SELECT id FROM lineages');
    expect(ids).toHaveLength(1);
    expect(known.length).toBeGreaterThan(0);
    expect(known).not.toContainEqual(ids[0]);
    expect((await succeed(copy.dispatch, 'devices.list', {})).devices[0]?.syncedAt).toBeNull();
    await addNamed(copy, 'From the copy');
    await addNamed(desk2, 'From the original');
    await pairHosts(laptop, copy);
    await untilLive(laptop, copy);
    await untilLive(laptop, desk2);
    await untilEqual(laptop, copy, desk2);
    expect(dumpRows(copy.folder.db)['workflows']).toHaveLength(3);
    expect(spaceKeyIn(copy)).toBe(spaceKeyIn(laptop));
    expect(spaceKeyIn(desk2)).toBe(spaceKeyIn(laptop));
  });
});

async function listed(host: Host, deviceId: string) {
  const { devices } = await succeed(host.dispatch, 'devices.list', {});
  const found = devices.find(({ id }) => id === deviceId);
  if (!found) throw new Error('The device is not listed.');
  return found;
}
