// The identity of a device: its key, where it is stored, and copies of the data folder.
import { X509Certificate } from 'node:crypto';
import {
  cpSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDataFolder, type DataFolder } from '#main/data-folder/data-folder.ts';
import { openKeychain, type Keychain } from '#main/data-folder/open-keychain.ts';
import { createHost } from '#main/host/host.ts';
import { createLog, createSilentLog } from '#main/host/log.ts';
import { createSystemIds, systemClock } from '#main/platform/system.ts';
import type { Cipher } from '#main/secrets/secret-store.ts';
import { PeerStore } from '#main/store/tables/peers.ts';
import { createStores } from '#main/store/stores.ts';
import { sha256Hex } from '#shared/ids.ts';
import { DEVICE_ID, nameOfKey } from '#shared/sync/device-id.ts';
import { fail, succeed } from '#test/support/api-calls.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { addWorkflow, openStore } from '#test/support/open-store.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

function open(dir: string, cipher?: Cipher, machineId?: () => string | null): DataFolder {
  const ids = createSystemIds(systemClock);
  const folder = openDataFolder({ dir, clock: systemClock, ids, cipher, machineId });
  onTestFinished(() => {
    if (folder.db.isOpen) folder.close();
  });
  return folder;
}

/** Reverses texts, which is enough to see that the file was encrypted by it. */
const keychain: Keychain = {
  encrypt: async (plain) => Buffer.from(Buffer.from(plain).toReversed()).toString('base64'),
  decrypt: async (sealed) => Buffer.from(Buffer.from(sealed, 'base64').toReversed()).toString(),
};

const siteOf = ({ db }: DataFolder): string =>
  (db.get('SELECT hex(crsql_site_id()) AS id') as { id: string }).id;

const keyFile = (dir: string): string => join(dir, 'device-key.json');

function privateKeyIn(dir: string): string {
  const file = JSON.parse(readFileSync(keyFile(dir), 'utf8')) as {
    secrets: { device: { value: string; sealed: boolean } };
  };
  return file.secrets.device.value;
}

/** Adds a row of a paired device. */
function addPeer({ db }: DataFolder): PeerStore {
  const peers = new PeerStore({
    db,
    clock: systemClock,
    ids: createSystemIds(systemClock),
    deviceId: 'd',
    spaceId: 's',
  });
  const key = nameOfKey(Uint8Array.of(1));
  peers.pair({ ...key, name: 'Other', addresses: [], pairedBy: 'link' });
  return peers;
}

describe('device key', () => {
  it('[DK-1] the key is P-256 in a self-signed certificate, and the id is derived from its hash', () => {
    const { identity } = open(tempFolder());
    const certificate = new X509Certificate(identity.certificate);
    const { publicKey } = certificate;
    expect(publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(certificate.verify(publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(identity.privateKey as never)).toBe(true);
    expect(certificate.toString()).toBe(identity.certificate);
    expect(certificate.validToDate.getUTCFullYear()).toBe(9999);
    const { deviceId, keyHash } = nameOfKey(publicKey.export({ type: 'spki', format: 'der' }));
    expect(identity).toMatchObject({ deviceId, keyHash, renewed: null });
    expect(deviceId).toMatch(DEVICE_ID);
    expect(keyHash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('[DK-1] the id of a given key never changes', () => {
    expect(nameOfKey(new TextEncoder().encode('a key'))).toEqual({
      deviceId: 'hyhtncqtn6vsw2g3k3d5ppnx0y018922',
      keyHash: '8fa3aab2faa9b79e0a0398da5b5abd0780142442a5be80b9a64608d718cb1fcd',
    });
  });

  it('[DK-1] a data folder keeps its key, and two folders have different keys', () => {
    const dir = tempFolder();
    const first = open(dir);
    first.close();
    const again = open(dir);
    expect(again.identity.deviceId).toBe(first.identity.deviceId);
    expect(again.identity.certificate).toBe(first.identity.certificate);
    expect(open(tempFolder()).identity.deviceId).not.toBe(first.identity.deviceId);
  });

  it('[DK-2] the private key is only in its file, which only the user can read', async () => {
    const dir = tempFolder();
    const host = createHost({ dataDir: dir, createLog: (masker) => createLog(dir, masker) });
    onTestFinished(() => host.close());
    const text = privateKeyIn(dir);
    expect(text).toContain('PRIVATE KEY');
    expect(statSync(keyFile(dir)).mode & 0o777).toBe(0o600);
    host.log.info({ identity: host.folder.identity }, 'a careless line');
    await host.close();
    const secretPart = text.split('\n')[1] as string;
    const others = readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .map((file) => join(dir, file))
      .filter((file) => statSync(file).isFile() && file !== keyFile(dir));
    expect(others.length).toBeGreaterThan(3);
    for (const file of others)
      expect([file, readFileSync(file).includes(secretPart)]).toEqual([file, false]);
  });

  it("[DK-2] the key is not listed as a secret and can't be set by a path as name", async () => {
    const dir = tempFolder();
    const host = createHost({ dataDir: dir, createLog: (masker) => createLog(dir, masker) });
    onTestFinished(() => host.close());
    expect(await succeed(host.dispatch, 'secrets.names', {})).toEqual({ names: [] });
    expect(
      (await fail(host.dispatch, 'secrets.set', { name: '../device-key', value: 'x' })).type,
    ).toBe('invalid_input');
  });

  it('[DK-2] [DK-4] a keychain encrypts the key; without the keychain the device keeps its id', async () => {
    const dir = tempFolder();
    const first = open(dir, await openKeychain(dir, keychain));
    first.close();
    expect(privateKeyIn(dir)).not.toContain('PRIVATE KEY');
    const without = open(dir);
    expect(without.identity).toMatchObject({
      deviceId: first.identity.deviceId,
      renewed: null,
      privateKey: null,
    });
    without.close();
    const withIt = open(dir, await openKeychain(dir, keychain));
    expect(withIt.identity.deviceId).toBe(first.identity.deviceId);
    expect(withIt.identity.privateKey).not.toBeNull();
  });
});

describe('a host without its key', () => {
  it('[DK-4] a host without its private key refuses pairing with no-key and answers other calls', async () => {
    const dataDir = tempFolder();
    const cipher = await openKeychain(dataDir, keychain);
    const first = createHost({ dataDir, createLog: createSilentLog, cipher });
    const { deviceId } = first.folder.identity;
    await first.close();
    const host = createTestHost(dataDir);
    const { devices } = await succeed(host.dispatch, 'devices.list', {});
    expect(devices).toMatchObject([{ id: deviceId, state: 'this' }]);
    await succeed(host.dispatch, 'devices.rename', { name: 'Still me' });
    for (const [call, input] of [
      ['devices.invite', {}],
      ['devices.join', { link: 'holdfast://pair?' }],
      ['devices.compare.open', {}],
    ] as const) {
      const error = await fail(host.dispatch, call, input);
      expect(error).toMatchObject({ type: 'conflict', reason: 'no-key' });
      expect(error.message).toContain('desktop app');
    }
  });
});

describe('copied folders', () => {
  it('[DK-3] a copied folder gets a new key, id and site, and has no peers', () => {
    const parent = tempFolder();
    const [here, there] = [join(parent, 'a'), join(parent, 'b')];
    const first = open(here);
    const site = siteOf(first);
    addPeer(first);
    first.close();
    cpSync(here, there, { recursive: true, preserveTimestamps: true });
    const copy = open(there);
    expect(copy.identity.renewed).toBe('folder copied');
    expect(copy.identity.deviceId).not.toBe(first.identity.deviceId);
    expect(siteOf(copy)).not.toBe(site);
    expect(privateKeyIn(there)).not.toBe(privateKeyIn(here));
    expect(copy.db.all('SELECT * FROM peers')).toEqual([]);
    const original = open(here);
    expect(original.identity.deviceId).toBe(first.identity.deviceId);
    expect(original.db.all('SELECT * FROM peers')).toHaveLength(1);
  });

  it.each([
    ['is missing', (dir: string) => rmSync(keyFile(dir))],
    ['is damaged', (dir: string) => writeFileSync(keyFile(dir), '{"version":1', { mode: 0o600 })],
    [
      'is replaced',
      (dir: string) => {
        const other = tempFolder();
        open(other).close();
        copyFileSync(keyFile(other), keyFile(dir));
      },
    ],
  ])('[DK-3] a folder whose key %s gets a new key, id and site, and has no peers', (_, harm) => {
    const dir = tempFolder();
    const first = open(dir);
    const site = siteOf(first);
    addPeer(first);
    first.close();
    harm(dir);
    const again = open(dir);
    expect(again.identity.renewed).toBe('key lost');
    expect(again.identity.deviceId).not.toBe(first.identity.deviceId);
    expect(siteOf(again)).not.toBe(site);
    expect(again.db.all('SELECT * FROM peers')).toEqual([]);
  });

  it('[DK-5] a folder from before keys gets a key, and its runs get the new id', () => {
    const dir = tempFolder();
    const first = open(dir);
    const former = '01FORMERDEVICE';
    const stores = createStores({
      db: first.db,
      clock: systemClock,
      ids: createSystemIds(systemClock),
      deviceId: former,
      spaceId: 's',
    });
    stores.handlerRuns.create({
      scriptRunId: 's',
      workflowId: 'w',
      handlerType: 'consumer',
      handlerName: 'h',
      inputState: null,
      epoch: 1,
    });
    stores.settings.set('device_id', former);
    const site = siteOf(first);
    first.close();
    const identityPath = join(dir, 'device.json');
    const { place } = JSON.parse(readFileSync(identityPath, 'utf8')) as { place: object };
    // As earlier versions wrote it.
    const before = JSON.stringify({
      deviceId: former,
      place: { ...place, machine: sha256Hex('machine').slice(0, 16) },
    });
    writeFileSync(identityPath, before);
    rmSync(keyFile(dir));

    const upgraded = open(dir, undefined, () => 'machine');
    const { deviceId } = upgraded.identity;
    expect(upgraded.identity).toMatchObject({ renewed: null, formerId: former });
    expect(deviceId).toMatch(DEVICE_ID);
    expect(siteOf(upgraded)).toBe(site);
    expect(upgraded.db.value('SELECT device_id FROM handler_runs')).toBe(deviceId);
    const peer = openStore('peer');
    exchange(upgraded.db, peer.db);
    expect(peer.db.value('SELECT device_id FROM handler_runs')).toBe(deviceId);
    // The triggers for local writes are active again.
    expect(() => upgraded.db.run(`UPDATE handler_runs SET facts = '{}'`)).toThrow('immutable');
    // Simulates a crash between the new file and the database.
    upgraded.db.run(
      `UPDATE settings SET value = ? WHERE key = 'device_id'`,
      JSON.stringify(former),
    );
    upgraded.close();
    const again = open(dir, undefined, () => 'machine');
    expect(again.identity).toMatchObject({ deviceId, renewed: null });
    expect(siteOf(again)).toBe(site);
    again.close();
    expect(open(dir, undefined, () => 'machine').identity).toMatchObject({
      deviceId,
      renewed: null,
      formerId: null,
    });
  });
});

describe('the machine', () => {
  const here = (): string => 'machine-1';

  it('[DK-8] a cloned disk has the same files on another machine, and gets a new identity', () => {
    const dir = tempFolder();
    const first = open(dir, undefined, here);
    const site = siteOf(first);
    addPeer(first);
    first.close();
    const clone = open(dir, undefined, () => 'machine-2');
    expect(clone.identity.renewed).toBe('folder copied');
    expect(clone.identity.deviceId).not.toBe(first.identity.deviceId);
    expect(siteOf(clone)).not.toBe(site);
    expect(clone.db.all('SELECT * FROM peers')).toEqual([]);
  });

  it('[DK-8] without an id, or with an unreadable one, the files decide as before', () => {
    const dir = tempFolder();
    const ids: (string | null)[] = [null, null, 'machine-1', null, 'machine-1'];
    const devices = ids.map((id) => {
      const folder = open(dir, undefined, () => id);
      folder.close();
      return folder.identity.deviceId;
    });
    expect(new Set(devices).size).toBe(1);
    const other = open(dir, undefined, () => 'machine-2');
    expect(other.identity.renewed).toBe('folder copied');
  });

  it('[DK-8] a folder of an earlier version keeps its identity and is hashed with its device', () => {
    const dir = tempFolder();
    const first = open(dir, undefined, here);
    const { deviceId } = first.identity;
    first.close();
    const path = join(dir, 'device.json');
    type Identity = { place: { machine: string } };
    const read = (): Identity => JSON.parse(readFileSync(path, 'utf8')) as Identity;
    const written = read();
    expect(written.place.machine).toBe(sha256Hex(`${deviceId} machine-1`).slice(0, 32));
    expect(readFileSync(path, 'utf8')).not.toContain('machine-1');
    // Written in place, so that the file stays the same one.
    const former = { ...written.place, machine: sha256Hex('machine-1').slice(0, 16) };
    writeFileSync(path, JSON.stringify({ ...written, place: former }));
    const upgraded = open(dir, undefined, here);
    expect(upgraded.identity).toMatchObject({ deviceId, renewed: null });
    expect(read().place.machine).toBe(written.place.machine);
    upgraded.close();
    expect(open(dir, undefined, here).identity).toMatchObject({ deviceId, renewed: null });
  });
});

describe('device name', () => {
  it("[DK-6] a person's name for the device stays after a restart and syncs", () => {
    const store = openStore('device-a');
    store.settings.set('device_id', 'device-a');
    store.devices.ensureOwn('hash', hostname());
    store.devices.renameOwn('Desk');
    store.devices.ensureOwn('hash', hostname());
    expect(store.devices.get('device-a')).toMatchObject({ name: 'Desk', keyHash: 'hash' });
    const other = openStore('device-b');
    exchange(store.db, other.db);
    expect(other.devices.list()).toEqual(store.devices.list());
  });

  it("[DK-6] the database refuses writes to other devices' rows and deletes", () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    for (const store of [one, other]) {
      store.settings.set('device_id', store.context.deviceId);
      store.devices.ensureOwn('hash', store.context.deviceId);
    }
    exchange(one.db, other.db);
    expect(() => other.db.run(`UPDATE devices SET profile = '{}' WHERE id = 'device-a'`)).toThrow(
      'not ours',
    );
    expect(() => other.db.run(`INSERT INTO devices (id) VALUES ('device-c')`)).toThrow('not ours');
    expect(() => other.db.run(`UPDATE devices SET facts = '{}' WHERE id = 'device-b'`)).toThrow(
      'immutable',
    );
    expect(() => other.db.run('DELETE FROM devices')).toThrow('immutable');
    addWorkflow(other);
    exchange(other.db, one.db);
    expect(
      one.devices
        .list()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(['device-a', 'device-b']);
  });

  it('[DK-6] a new host is named after the computer', async () => {
    const dir = tempFolder();
    const host = createHost({ dataDir: dir, createLog: (masker) => createLog(dir, masker) });
    onTestFinished(() => host.close());
    const { deviceId, keyHash } = host.folder.identity;
    expect(host.stores.devices.list()).toMatchObject([{ id: deviceId, keyHash, name: hostname() }]);
    await host.close();
  });
});

describe('paired devices', () => {
  it('[DK-7] the key of a peer never changes, and pairing again clears an unpairing', () => {
    const { peers, db, clock } = openStore();
    const key = nameOfKey(Uint8Array.of(1));
    peers.pair({ ...key, name: 'Other', addresses: ['10.0.0.1:1'], pairedBy: 'link' });
    expect(() => db.run(`UPDATE peers SET key_hash = 'other'`)).toThrow('immutable');
    expect(() => db.run(`UPDATE peers SET unpaired_at = 1`)).toThrow('CHECK');
    peers.markNotified(key.deviceId);
    expect(peers.get(key.deviceId)).toMatchObject({ unpairedAt: null, notifiedAt: null });
    expect(peers.unpair(key.deviceId, 'us')).toBe(true);
    expect(peers.unpair(key.deviceId, 'them')).toBe(false);
    expect(peers.paired()).toEqual([]);
    expect(peers.get(key.deviceId)).toMatchObject({ unpairedAt: clock.now(), unpairedBy: 'us' });
    peers.markNotified(key.deviceId);
    expect(peers.get(key.deviceId)?.notifiedAt).toBe(clock.now());
    peers.pair({ ...key, name: 'Again', addresses: [], pairedBy: 'comparison' });
    expect(peers.paired()).toMatchObject([
      { ...key, name: 'Again', addresses: [], pairedBy: 'comparison', notifiedAt: null },
    ]);
  });
});
