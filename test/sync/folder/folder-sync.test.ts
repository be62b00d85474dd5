import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FolderSync } from '#main/sync/folder/folder-sync.ts';
import { Seal } from '#main/sync/folder/seal.ts';
import type { SpaceKey } from '#main/sync/space-key.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { clockForAll, device, type Device } from '#test/sync/session/two-devices.ts';

const newKey = (): SpaceKey => {
  const key = randomBytes(32);
  return { spaceKey: () => key };
};

function publish(at: Device, from: number, to: number, payload = 'x'): void {
  const topic = at.store.topics.ensure('w', 'mail');
  for (let n = from; n < to; n += 1) {
    at.store.events.publish({ topic, messageId: `${at.id}-${n}`, title: `Mail ${n}`, payload });
  }
}

const events = ({ store }: Device): unknown => store.db.value('SELECT count(*) FROM events');

/** Paths of the change files of all devices. */
function changeFiles(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.changes'))
    .map((path) => join(dir, path));
}

function setUp(names = ['a', 'b']): {
  readonly dir: string;
  readonly key: SpaceKey;
  readonly devices: Device[];
  readonly syncs: FolderSync[];
} {
  const clock = clockForAll();
  const [dir, key] = [tempFolder(), newKey()];
  const devices = names.map((name) => device(name, clock));
  const syncs = devices.map(({ context }) => new FolderSync(context, key, dir));
  return { dir, key, devices, syncs };
}

async function rounds(syncs: readonly FolderSync[], count = 3): Promise<void> {
  for (let round = 0; round < count; round += 1) for (const sync of syncs) await sync.sync();
}

describe('shared folder', () => {
  it('[FO-1] devices without links sync through the folder', async () => {
    const { devices, syncs } = setUp(['a', 'b', 'c']);
    for (const [index, one] of devices.entries()) publish(one, 0, 10 * (index + 1));
    await rounds(syncs);
    const [first, ...rest] = devices.map(({ store }) => dumpRows(store.db));
    for (const rows of rest) expect(rows).toEqual(first);
    expect(devices.map(events)).toEqual([60, 60, 60]);
  });

  it('[FO-2] a sync with new changes writes only into the folder of its device', async () => {
    const { dir, key, devices, syncs } = setUp(['a', 'b', 'c']);
    for (const one of devices) publish(one, 0, 5);
    await rounds(syncs);
    /** Also a file that is written again with the same content is another file. */
    const files = (): Map<string, string> =>
      new Map(
        readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((path) => {
          const { ino, mtimeNs, size } = statSync(join(dir, path), { bigint: true });
          return [path, `${ino} ${mtimeNs} ${size}`];
        }),
      );
    const before = files();
    publish(devices[1] as Device, 5, 10);
    await (syncs[1] as FolderSync).sync();
    const after = files();
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (path) => before.get(path) !== after.get(path),
    );
    expect(changed.length).toBeGreaterThanOrEqual(2);
    const own = nameOf(key, 'b');
    expect(changed.filter((path) => path.split('/')[1] !== own)).toEqual([]);
  });

  it('[FO-2] a sync without new changes writes nothing', async () => {
    const { dir, devices, syncs } = setUp();
    const [one] = devices as [Device, Device];
    publish(one, 0, 5);
    await rounds(syncs);
    const contents = (): string[] =>
      readdirSync(dir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => `${path} ${readFileSync(path).toString('base64')}`)
        .toSorted();
    const before = contents();
    expect(before.length).toBeGreaterThanOrEqual(2);
    await rounds(syncs);
    expect(contents()).toEqual(before);
  });

  it("[FO-3] file names and contents don't reveal data, and a device with another key reads nothing", async () => {
    const { dir, devices, syncs } = setUp();
    publish(devices[0] as Device, 0, 50, 'a very secret word');
    await (syncs[0] as FolderSync).sync();
    const all = readdirSync(dir, { recursive: true, withFileTypes: true });
    const text = all
      .map(
        (entry) =>
          entry.name +
          (entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), 'latin1') : ''),
      )
      .join('\n');
    for (const word of ['secret', 'space-1', 'events', 'device']) expect(text).not.toContain(word);
    const stranger = device('b', clockForAll());
    const report = await new FolderSync(stranger.context, newKey(), dir).sync();
    expect(report).toMatchObject({ read: 0, devices: [] });
  });

  it('[FO-4] a half-copied file is merged as far as it is complete, and completely later', async () => {
    const { dir, devices, syncs } = setUp();
    const [one, other] = devices as [Device, Device];
    publish(one, 0, 600);
    await (syncs[0] as FolderSync).sync();
    const [file] = changeFiles(dir) as [string];
    const whole = readFileSync(file);
    truncateSync(file, Math.floor(whole.length * 0.6));
    const report = await (syncs[1] as FolderSync).sync();
    expect(report.problems).toMatchObject([{ device: 'a', name: 'damaged-file' }]);
    expect(Number(events(other))).toBeGreaterThan(0);
    expect(Number(events(other))).toBeLessThan(600);
    writeFileSync(file, whole);
    expect((await (syncs[1] as FolderSync).sync()).problems).toEqual([]);
    expect(dumpRows(other.store.db)).toEqual(dumpRows(one.store.db));
  });

  it('[FO-4] a device rewrites its own truncated or missing file', async () => {
    for (const harm of [
      (path: string) => truncateSync(path, 100),
      (path: string) => rmSync(path),
    ]) {
      const { dir, devices, syncs } = setUp();
      const [one, other] = devices as [Device, Device];
      publish(one, 0, 20);
      await (syncs[0] as FolderSync).sync();
      harm(changeFiles(dir)[0] as string);
      await rounds(syncs);
      expect(dumpRows(other.store.db)).toEqual(dumpRows(one.store.db));
    }
  });

  it('[FO-4] a missing file is reported, and nothing after it is merged', async () => {
    const { dir, devices, syncs } = setUp();
    const [one, other] = devices as [Device, Device];
    for (let n = 0; n < 3; n += 1) {
      publish(one, n * 5, n * 5 + 5);
      await (syncs[0] as FolderSync).sync();
    }
    const files = changeFiles(dir).toSorted();
    expect(files).toHaveLength(3);
    rmSync(files[1] as string);
    const report = await (syncs[1] as FolderSync).sync();
    expect(report.problems).toMatchObject([{ device: 'a', name: 'missing-files' }]);
    expect(events(other)).toBe(5);
    await rounds(syncs);
    expect(events(other)).toBe(15);
  });

  it('[FO-5] a changed file or a file of another device is refused', async () => {
    const { dir, key, devices, syncs } = setUp(['a', 'b', 'c']);
    const [one, other] = devices as [Device, Device];
    publish(one, 0, 5);
    await (syncs[2] as FolderSync).sync();
    await (syncs[0] as FolderSync).sync();
    const [ofOne] = changeFiles(dir) as [string];
    cpSync(ofOne, ofOne.replace(nameOf(key, 'a'), nameOf(key, 'c')));
    const bytes = readFileSync(ofOne);
    bytes[bytes.length - 40] = (bytes[bytes.length - 40] ?? 0) ^ 1;
    writeFileSync(ofOne, bytes);
    const report = await (syncs[1] as FolderSync).sync();
    expect(report.read).toBe(0);
    expect(report.problems.map(({ device: id, name }) => [id, name])).toEqual([
      ['a', 'damaged-file'],
      ['c', 'damaged-file'],
    ]);
    expect(events(other)).toBe(0);
  });

  it('[FO-5] files that others created or moved are refused, and so is a state file of another device', async () => {
    const { dir, key, devices, syncs } = setUp(['a', 'b', 'c']);
    const [one, other] = devices as [Device, Device];
    publish(one, 0, 5);
    await (syncs[2] as FolderSync).sync();
    await (syncs[0] as FolderSync).sync();
    const [ofOne] = changeFiles(dir) as [string];
    const space = join(ofOne, '..', '..');
    // A stranger without the key writes a file in the folder of a device.
    const stranger = setUp(['a']);
    publish(stranger.devices[0] as Device, 0, 5, 'forged');
    await (stranger.syncs[0] as FolderSync).sync();
    cpSync(changeFiles(stranger.dir)[0] as string, ofOne);
    // The state of a device is copied over that of another one, and into a folder of its own.
    cpSync(join(space, nameOf(key, 'a'), 'state'), join(space, nameOf(key, 'c'), 'state'));
    mkdirSync(join(space, 'made-by-hand'));
    cpSync(join(space, nameOf(key, 'a'), 'state'), join(space, 'made-by-hand', 'state'));
    const before = dumpRows(other.store.db);
    const report = await (syncs[1] as FolderSync).sync();
    expect(report.read).toBe(0);
    expect(report.devices).toEqual(['a']);
    expect(report.problems.map(({ name }) => name)).toEqual([
      'damaged-file',
      'damaged-file',
      'damaged-file',
    ]);
    expect(dumpRows(other.store.db)).toEqual(before);
  });

  it('[FO-5] a file under the name of other changes is not merged, and its device writes it again', async () => {
    const { dir, devices, syncs } = setUp();
    const [one, other] = devices as [Device, Device];
    for (let n = 0; n < 3; n += 1) {
      publish(one, n * 5, n * 5 + 5);
      await (syncs[0] as FolderSync).sync();
    }
    const [first, second, third] = changeFiles(dir).toSorted() as [string, string, string];
    // The second file is gone, and the third has its name.
    renameSync(third, second);
    const report = await (syncs[1] as FolderSync).sync();
    expect(report.problems).toMatchObject([{ device: 'a' }]);
    expect(events(other)).toBe(5);
    expect(readFileSync(first).length).toBeGreaterThan(0);
    await rounds(syncs);
    expect(dumpRows(other.store.db)).toEqual(dumpRows(one.store.db));
  });

  it('[FO-4] a device writes its own file again when another device found it damaged, though its size is right', async () => {
    const { dir, devices, syncs } = setUp();
    const [one, other] = devices as [Device, Device];
    publish(one, 0, 5);
    await (syncs[0] as FolderSync).sync();
    const [file] = changeFiles(dir) as [string];
    const bytes = readFileSync(file);
    bytes.fill(0, bytes.length - 100);
    writeFileSync(file, bytes);
    // Without a report of another device it does not read its own file.
    await (syncs[0] as FolderSync).sync();
    expect(readFileSync(file)).toEqual(bytes);
    expect((await (syncs[1] as FolderSync).sync()).problems).toMatchObject([{ device: 'a' }]);
    await rounds(syncs);
    expect(dumpRows(other.store.db)).toEqual(dumpRows(one.store.db));
  });

  it('[FO-4] a device keeps its own file when another device only had a part of it', async () => {
    const { dir, devices, syncs } = setUp();
    const [one, other] = devices as [Device, Device];
    publish(one, 0, 5);
    await (syncs[0] as FolderSync).sync();
    const [file] = changeFiles(dir) as [string];
    const whole = readFileSync(file);
    truncateSync(file, whole.length - 1);
    expect((await (syncs[1] as FolderSync).sync()).problems).toMatchObject([{ device: 'a' }]);
    writeFileSync(file, whole);
    await (syncs[0] as FolderSync).sync();
    expect(readFileSync(file)).toEqual(whole);
    await rounds(syncs);
    expect(dumpRows(other.store.db)).toEqual(dumpRows(one.store.db));
  });

  it('[FO-6] files are removed when every device has them; a new device still gets everything', async () => {
    const { dir, key, devices, syncs } = setUp();
    const [one] = devices as [Device, Device];
    publish(one, 0, 50);
    await (syncs[0] as FolderSync).sync();
    expect(changeFiles(dir)).toHaveLength(1);
    await rounds(syncs, 4);
    expect(changeFiles(dir)).toEqual([]);
    publish(one, 50, 60);
    await (syncs[0] as FolderSync).sync();
    const late = device('late', clockForAll());
    const lateSync = new FolderSync(late.context, key, dir);
    await rounds([lateSync, ...syncs], 3);
    expect(dumpRows(late.store.db)).toEqual(dumpRows(one.store.db));
  });

  it("[FO-6] unfinished files are removed only from the device's own folder", async () => {
    const { dir, syncs } = setUp();
    await rounds(syncs);
    const folders = readdirSync(join(dir, readdirSync(dir)[0] as string), { withFileTypes: true });
    for (const entry of folders)
      writeFileSync(join(entry.parentPath, entry.name, '.unfinished-x'), 'x');
    await (syncs[0] as FolderSync).sync();
    const left = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.includes('.unfinished'),
    );
    expect(left).toHaveLength(1);
  });

  it('[FO-7] a device restored from a backup gets its lost changes back', async () => {
    const { dir, key, devices, syncs } = setUp();
    const [one, other] = devices as [Device, Device];
    publish(one, 0, 10);
    await rounds(syncs, 2);
    const backup = join(tempFolder(), 'backup.db');
    one.store.db.pragma('wal_checkpoint(TRUNCATE)');
    cpSync(one.store.path, backup);
    publish(one, 10, 20);
    await rounds(syncs, 2);
    const restored = device('a', clockForAll(), backup);
    publish(restored, 30, 45);
    await rounds([new FolderSync(restored.context, key, dir), syncs[1] as FolderSync], 4);
    expect(events(restored)).toBe(35);
    expect(dumpRows(other.store.db)).toEqual(dumpRows(restored.store.db));
  });

  it('[FO-7] an old copy of the folder rewinds no cursor', async () => {
    const { dir, key, devices, syncs } = setUp();
    const [one, other] = devices as [Device, Device];
    publish(one, 0, 5);
    await (syncs[0] as FolderSync).sync();
    const old = tempFolder();
    cpSync(dir, old, { recursive: true });
    await rounds(syncs);
    publish(one, 5, 9);
    await rounds(syncs);
    const before = other.store.peerCursors.get('a');
    const report = await new FolderSync(other.context, key, old).sync();
    expect(report.read).toBe(0);
    expect(other.store.peerCursors.get('a')).toEqual(before);
  });

  it('[FO-8] files of a newer schema version are not merged and reported as update-needed', async () => {
    const { dir, key, devices } = setUp();
    const [one, other] = devices as [Device, Device];
    const schema = { ...one.context.schema, version: 99, fingerprint: 'f'.repeat(64) };
    const newer = { ...one.context, schema };
    publish(one, 0, 5);
    await new FolderSync(newer, key, dir).sync();
    const report = await new FolderSync(other.context, key, dir).sync();
    expect(report.problems).toMatchObject([{ device: 'a', name: 'update-needed' }]);
    expect(report.problems[0]?.message).toContain('this device is older');
    expect(events(other)).toBe(0);
  });

  it('[FO-8] [SS-13] files of another schema level with the same synced columns are merged', async () => {
    const { dir, key, devices } = setUp();
    const [one, other] = devices as [Device, Device];
    const newer = { ...one.context, schema: { ...one.context.schema, version: 99 } };
    publish(one, 0, 5);
    await new FolderSync(newer, key, dir).sync();
    const report = await new FolderSync(other.context, key, dir).sync();
    expect(report.problems).toEqual([]);
    expect(events(other)).toBe(5);
  });

  it('[FO-1] a transaction larger than a frame is merged as one', async () => {
    const { devices, syncs } = setUp();
    const [one, other] = devices as [Device, Device];
    one.store.db.write(() => publish(one, 0, 500, 'y'.repeat(2000)));
    await rounds(syncs, 1);
    expect(dumpRows(other.store.db)).toEqual(dumpRows(one.store.db));
    const versions = 'SELECT count(DISTINCT db_version) FROM events__crsql_clock';
    expect(other.store.db.value(versions)).toBe(1);
  });
});

function nameOf(key: SpaceKey, id: string): string {
  return new Seal(key).nameOf('device', id);
}
