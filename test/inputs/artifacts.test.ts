// The artifact store on a real disk, including kills while it writes.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ArtifactDamaged, ArtifactStore } from '#main/inputs/artifacts.ts';
import { createVirtualClock } from '#test/support/virtual-clock.ts';
import { exitOf, startNode } from '#test/support/child-processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');

function openArtifacts(): {
  artifacts: ArtifactStore;
  clock: ReturnType<typeof createVirtualClock>;
  pathOf: (ref: string) => string;
  files: () => string[];
} {
  const dataDir = tempFolder();
  const clock = createVirtualClock();
  const dir = join(dataDir, 'artifacts');
  return {
    artifacts: new ArtifactStore({ dataDir, clock }),
    clock,
    pathOf: (ref) => join(dir, ref.slice(0, 2), ref.slice(2)),
    files: () => filesIn(dir),
  };
}

function filesIn(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('artifacts', () => {
  test('[AF-1] put stores content under its SHA-256, and get returns it', async () => {
    const { artifacts, pathOf } = openArtifacts();
    const content = Buffer.from([0, 255, 10, 13]);
    const put = await artifacts.put(content);
    expect(put).toEqual({ ref: sha256(content), bytes: 4 });
    expect(await artifacts.get(put.ref)).toEqual(content);
    expect(await artifacts.has(put.ref)).toBe(true);
    expect(readFileSync(pathOf(put.ref))).toEqual(content);
  });

  test('[AF-1] JSON is stored in canonical form, so equal values are one artifact', async () => {
    const { artifacts, files } = openArtifacts();
    const one = await artifacts.put({ b: [1, 'é'], a: null });
    const other = await artifacts.put({ a: null, b: [1, 'é'] });
    expect(other).toEqual(one);
    expect(one).toEqual({ ref: sha256('{"a":null,"b":[1,"é"]}'), bytes: 23 });
    expect(files().length).toBe(1);
  });

  test('[AF-1] concurrent puts of equal and different content store each content once', async () => {
    const { artifacts, files } = openArtifacts();
    const puts = await Promise.all(Array.from({ length: 40 }, (_, n) => artifacts.put(n % 4)));
    expect(new Set(puts.map(({ ref }) => ref)).size).toBe(4);
    expect(files().length).toBe(4);
    for (const { ref } of puts) expect(await artifacts.get(ref)).toBeDefined();
  });

  test('[AF-1] an unknown or malformed ref is not found', async () => {
    const { artifacts } = openArtifacts();
    await artifacts.put('x');
    for (const ref of [
      sha256('y'),
      '',
      '..',
      '../../api-token',
      'ab/cd',
      sha256('x').toUpperCase(),
    ]) {
      expect(await artifacts.get(ref)).toBeUndefined();
      expect(await artifacts.has(ref)).toBe(false);
    }
  });

  test('[AF-2] files and folders are accessible to the user alone', async () => {
    const { artifacts, pathOf } = openArtifacts();
    const { ref } = await artifacts.put('x');
    expect(statSync(pathOf(ref)).mode & 0o777).toBe(0o600);
    expect(statSync(join(pathOf(ref), '..')).mode & 0o777).toBe(0o700);
    expect(statSync(join(pathOf(ref), '..', '..')).mode & 0o777).toBe(0o700);
  });

  test('[AF-8] a put resolves when the content and then its name are on disk', async () => {
    const { artifacts, files } = openArtifacts();
    const handle = await open(tempFolder(), 'r');
    const ofHandles = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    const synced: string[][] = [];
    const real = ofHandles.sync;
    vi.spyOn(ofHandles, 'sync').mockImplementation(function (this: typeof handle) {
      synced.push(files().map((path) => basename(path)));
      return real.call(this);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const { ref } = await artifacts.put('new');
    // First the folders, then the content under a name of its own, then the folder of its final name.
    expect(synced.slice(0, -2).flat()).toEqual([]);
    expect(synced.slice(-2)).toEqual([[expect.stringMatching(/\.tmp$/)], [ref.slice(2)]]);
  });

  test('[AF-3] damaged content is never returned, and putting it again repairs it', async () => {
    const { artifacts, pathOf } = openArtifacts();
    const content = Buffer.from('the content');
    const { ref } = await artifacts.put(content);
    for (const damage of ['', 'the content!', 'the cOntent']) {
      writeFileSync(pathOf(ref), damage);
      await expect(artifacts.get(ref)).rejects.toThrow(ArtifactDamaged);
      await expect(artifacts.get(ref)).rejects.toThrow('was not used');
    }
    await artifacts.put(content);
    expect(await artifacts.get(ref)).toEqual(content);
  });

  test('[AF-4] a sweep removes only unreferenced artifacts older than the limit', async () => {
    const { artifacts, clock, files } = openArtifacts();
    const [referenced, old] = [await artifacts.put('kept'), await artifacts.put('old one')];
    await clock.advance(1000);
    const between = clock.now();
    const young = await artifacts.put('young');
    expect(await artifacts.sweep(new Set([referenced.ref]), between)).toEqual({
      removed: 1,
      bytes: 9,
    });
    expect(await artifacts.has(old.ref)).toBe(false);
    expect(await artifacts.has(referenced.ref)).toBe(true);
    expect(await artifacts.has(young.ref)).toBe(true);
    expect(await artifacts.sweep(new Set(), between)).toEqual({ removed: 1, bytes: 6 });
    expect(files().length).toBe(1);
  });

  test('[AF-4] putting the same content again protects it from a sweep', async () => {
    const { artifacts, clock } = openArtifacts();
    const { ref } = await artifacts.put('x');
    await clock.advance(1000);
    const between = clock.now();
    await artifacts.put('x');
    expect(await artifacts.sweep(new Set(), between)).toEqual({ removed: 0, bytes: 0 });
    expect(await artifacts.has(ref)).toBe(true);
  });

  test('[AF-4] a sweep during a put never removes the artifact of that put', async () => {
    const { artifacts, clock } = openArtifacts();
    for (let round = 0; round < 30; round += 1) {
      const { ref } = await artifacts.put('x');
      await clock.advance(1000);
      const between = clock.now();
      const [again] = await Promise.all([artifacts.put('x'), artifacts.sweep(new Set(), between)]);
      expect(again.ref).toBe(ref);
      expect(await artifacts.has(ref)).toBe(true);
    }
  });

  test('[AF-4] a sweep removes old temporary files and no foreign files', async () => {
    const { artifacts, clock, pathOf, files } = openArtifacts();
    const { ref } = await artifacts.put('x');
    const folder = join(pathOf(ref), '..');
    writeFileSync(join(folder, '0123456789abcdef.tmp'), 'half');
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    mkdirSync(join(folder, 'folder'));
    await artifacts.sweep(new Set([ref]), 0);
    expect(files().length).toBe(3);
    const later = Math.max(Date.now(), clock.now()) + 60_000;
    expect(await artifacts.sweep(new Set([ref]), later)).toEqual({ removed: 1, bytes: 4 });
    expect(
      files()
        .map((path) => path.slice(-9))
        .toSorted(),
    ).toEqual([pathOf(ref).slice(-9), 'notes.txt'].toSorted());
  });

  test('[AF-4] sweeping an empty store removes nothing', async () => {
    expect(await openArtifacts().artifacts.sweep(new Set(), 1)).toEqual({ removed: 0, bytes: 0 });
  });
});

describe('SIGKILL during put', () => {
  test('[AF-5] every reported artifact exists after SIGKILL, and every named file is complete', async () => {
    const dataDir = tempFolder();
    const artifacts = new ArtifactStore({ dataDir, clock: Date });
    for (const killAfter of [1, 6, 23, 50]) {
      const child = startNode('test/support/workers/put-artifacts.ts', [dataDir, '4000']);
      const exited = exitOf(child);
      const reported: string[] = [];
      for await (const line of createInterface({ input: child.stdout })) {
        reported.push(line);
        if (reported.length === killAfter) child.kill('SIGKILL');
      }
      expect(await exited).toBeNull();
      expect(reported.length).toBeGreaterThanOrEqual(killAfter);
      for (const ref of reported) expect(await artifacts.get(ref)).toBeDefined();
      for (const path of filesIn(join(dataDir, 'artifacts'))) {
        if (path.endsWith('.tmp')) continue;
        const [folder, name] = path.split('/').slice(-2);
        expect(sha256(readFileSync(path))).toBe(`${folder}${name}`);
      }
    }
  });
});
