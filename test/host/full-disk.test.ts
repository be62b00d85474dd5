// A full disk, simulated by a small tmpfs.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestHost } from '#test/support/create-test-host.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

/** Null if mounting is not possible. */
function tryMount(): string | null {
  const folder = tempFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return null;
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
  });
  return folder;
}

/** Leaves no byte. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
    const bytes = Buffer.alloc(size);
    try {
      for (;;) writeSync(file, bytes);
    } catch {
      // No room for this size: try a smaller one.
    }
  }
  closeSync(file);
}

const mayMount = process.platform === 'linux' && process.getuid?.() === 0;
const why = mayMount ? '' : ' (not run: only root may mount a small disk)';

describe.skipIf(!mayMount)(`a full disk${why}`, () => {
  it('[DB-1] [AP-4] gives storage_full, and calls succeed on an intact database once there is space', async () => {
    const folder = tryMount();
    if (folder === null) throw new Error('root could not mount a tmpfs here');
    const host = createTestHost(join(folder, 'data'));
    const create = (n: number) =>
      host.dispatch('workflows.create', {
        requestId: `r${n}`,
        name: `W${n}`,
        code: 'x'.repeat(100_000),
      });
    let full: Awaited<ReturnType<typeof create>> | undefined;
    for (let n = 0; n < 200 && !full; n += 1) {
      const result = await create(n);
      if (!result.ok) full = result;
    }
    expect(full).toMatchObject({
      ok: false,
      error: {
        type: 'storage_full',
        message: expect.stringContaining('Free some space') as string,
      },
    });
    const before = await host.dispatch('workflows.list', { limit: 200 });
    expect(before.ok).toBe(true);
    // The host still responds while the disk is full.
    expect(await create(9999)).toMatchObject({ ok: false });
    execFileSync('mount', ['-o', 'remount,size=20m', folder], { stdio: 'ignore' });
    expect(await create(10_000)).toMatchObject({ ok: true });
    expect(host.folder.db.pragma('integrity_check')).toBe('ok');
  });

  it('[DF-7] a host that cannot start says that the disk is full', () => {
    const folder = tryMount();
    if (folder === null) throw new Error('root could not mount a tmpfs here');
    mkdirSync(join(folder, 'data'));
    fill(join(folder, 'filler'));
    expect(() => createTestHost(join(folder, 'data'))).toThrow(
      /^The disk of the data folder .* is full, so Holdfast could not start\. Everything saved so far is safe\./,
    );
  });
});
