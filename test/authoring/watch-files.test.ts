import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { watchFiles } from '#main/authoring/watch-files.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

/** Longer than a file must be quiet before it is reported. */
const QUIET_MS = 300;

interface Watched {
  readonly path: string;
  readonly reported: string[];
  /** Resolves when the next report has come, and no other follows. */
  next(): Promise<void>;
}

function watched(path: string): Watched {
  const reported: string[] = [];
  const watch = watchFiles(
    (changed) => reported.push(changed),
    (error) => {
      throw error;
    },
  );
  onTestFinished(() => watch.close());
  watch.add(path);
  let before = 0;
  return {
    path,
    reported,
    next: async () => {
      before += 1;
      await vi.waitFor(() => expect(reported.length).toBeGreaterThanOrEqual(before), {
        timeout: 10_000,
      });
      await sleep(QUIET_MS);
      expect(reported).toEqual(Array.from({ length: before }, () => path));
    },
  };
}

function existing(...folders: string[]): string {
  const path = join(tempFolder(), ...folders, 'w.ts');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'first');
  return path;
}

describe('watched files', () => {
  it('[AU-7] a file is reported when it changes, not when it is first seen', async () => {
    const { path, reported, next } = watched(existing());
    await sleep(QUIET_MS);
    expect(reported).toEqual([]);
    appendFileSync(path, ', changed in place');
    await next();
    writeFileSync(path, '');
    writeFileSync(path, 'written in two steps');
    await next();
  });

  it('[AU-7] a change right after the start is not missed', async () => {
    const { path, next } = watched(existing());
    appendFileSync(path, ', changed at once');
    await next();
  });

  it('[AU-7] a file that is replaced by renaming, removed or written again is reported', async () => {
    const { path, next } = watched(existing());
    await sleep(QUIET_MS);
    for (const round of [1, 2]) {
      writeFileSync(`${path}.tmp`, `replaced ${round} times`);
      renameSync(`${path}.tmp`, path);
      await next();
    }
    unlinkSync(path);
    await next();
    writeFileSync(path, 'removed, then written');
    await next();
  });

  it.each([
    ['its folder', 1],
    ['a folder above', 2],
  ])('[AU-7] a file is noticed after %s was removed and recreated', async (_, levels) => {
    const { path, next } = watched(existing('a', 'b'));
    const removed = levels === 1 ? dirname(path) : dirname(dirname(path));
    await sleep(QUIET_MS);
    for (const round of [1, 2]) {
      rmSync(removed, { recursive: true });
      await next();
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `recreated ${round} times`);
      await next();
      appendFileSync(path, ', and changed');
      await next();
    }
  });

  it('[AU-7] a folder that is replaced without a pause is watched, too', async () => {
    const { path, next } = watched(existing('a'));
    await sleep(QUIET_MS);
    rmSync(dirname(path), { recursive: true });
    mkdirSync(dirname(path));
    writeFileSync(path, 'in the new folder');
    await next();
    appendFileSync(path, ', and changed');
    await next();
  });

  it('[AU-7] a file whose folder does not exist yet is noticed', async () => {
    const { path, next } = watched(join(tempFolder(), 'a', 'b', 'w.ts'));
    await sleep(QUIET_MS);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'first');
    await next();
    utimesSync(path, 1, 1);
    await next();
  });
});
