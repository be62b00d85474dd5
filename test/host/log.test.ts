// The host's log on a real disk.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLog } from '#main/host/log.ts';
import { createMasker } from '#main/secrets/masker.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const MAX_BYTES = 2000;

function linesOf(path: string): { readonly n: number; readonly msg: string }[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as { n: number; msg: string });
}

describe('host log', () => {
  it('rotates by size, keeps five files, and loses no line in between', () => {
    const dataDir = tempFolder();
    const folder = join(dataDir, 'logs');
    const log = createLog(dataDir, createMasker(), MAX_BYTES);
    for (let n = 0; n < 200; n += 1) log.info({ n }, 'line');
    const files = ['host.log.4', 'host.log.3', 'host.log.2', 'host.log.1', 'host.log'];
    expect(readdirSync(folder).toSorted()).toEqual(files.toSorted());
    for (const name of files) {
      expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(MAX_BYTES);
      if (process.platform !== 'win32') {
        expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      }
    }
    const numbers = files.flatMap((name) => linesOf(join(folder, name)).map(({ n }) => n));
    expect(numbers.at(-1)).toBe(199);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  });

  it('appends to the file of an earlier host, and rotates it when it is full', () => {
    const dataDir = tempFolder();
    createLog(dataDir, createMasker(), MAX_BYTES).info({ n: 1 }, 'first');
    createLog(dataDir, createMasker(), MAX_BYTES).info({ n: 2 }, 'second');
    const path = join(dataDir, 'logs', 'host.log');
    expect(linesOf(path).map(({ msg }) => msg)).toEqual(['first', 'second']);
    writeFileSync(path, `${'x'.repeat(MAX_BYTES)}\n`);
    createLog(dataDir, createMasker(), MAX_BYTES).info({ n: 3 }, 'third');
    expect(linesOf(path).map(({ msg }) => msg)).toEqual(['third']);
    expect(statSync(`${path}.1`).size).toBe(MAX_BYTES + 1);
  });

  it('writes a line longer than a file may be', () => {
    const dataDir = tempFolder();
    const log = createLog(dataDir, createMasker(), MAX_BYTES);
    log.info({ n: 1 }, 'x'.repeat(3 * MAX_BYTES));
    log.info({ n: 2 }, 'after');
    expect(linesOf(join(dataDir, 'logs', 'host.log')).map(({ n }) => n)).toEqual([2]);
    expect(linesOf(join(dataDir, 'logs', 'host.log.1')).map(({ n }) => n)).toEqual([1]);
  });
});
