// The working folder of the file tools, and the effects in it. This process watches the folder, so that
// each rename into place is counted while hosts are killed.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ORDERS, type EffectKind } from '#test/crash/matrix/cell.ts';

/** Created to flush the watcher: its notification arrives after all earlier ones. */
const FLUSH_FILE = 'flush';

export interface FileWorkspace {
  /** How often each effect was made. */
  counts(): Promise<Map<number, number>>;
  /** Unexpected, missing or wrong files. */
  problems(): string[];
  close(): void;
}

export function createFileWorkspace(folder: string, effect: EffectKind): FileWorkspace {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'log.txt'), 'the log\n');
  for (const n of ORDERS) {
    mkdirSync(join(folder, String(n)));
    if (effect === 'files.move') writeFileSync(join(folder, String(n), 'old.txt'), `order ${n}`);
  }
  return watchFileWorkspace(folder, effect);
}

/** Effects that are in the folder already count once. */
export function watchFileWorkspace(folder: string, effect: EffectKind): FileWorkspace {
  const created = new Map<number, number>(
    ORDERS.map((n) => [n, existsSync(join(folder, String(n), 'new.txt')) ? 1 : 0]),
  );
  const watchers = ORDERS.map((n) => {
    const own = join(folder, String(n));
    const watcher = watch(own, (type, name) => {
      if (type === 'rename' && name === 'new.txt') created.set(n, (created.get(n) ?? 0) + 1);
    });
    return { own, watcher };
  });
  const flush = async (): Promise<void> => {
    for (const { own, watcher } of watchers) {
      const flushed = new Promise<void>((resolve) => {
        watcher.on('change', (_, name) => {
          if (name === FLUSH_FILE) resolve();
        });
      });
      writeFileSync(join(own, FLUSH_FILE), '');
      await flushed;
      rmSync(join(own, FLUSH_FILE));
    }
  };
  return {
    counts: async () => {
      if (effect === 'files.append') return countLines(folder);
      await flush();
      return created;
    },
    problems: () => (effect === 'files.append' ? [] : ORDERS.flatMap((n) => problemsOf(folder, n))),
    close: () => {
      for (const { watcher } of watchers) watcher.close();
    },
  };
}

function countLines(folder: string): Map<number, number> {
  const lines = readFileSync(join(folder, 'log.txt'), 'utf8').split('\n');
  return new Map(ORDERS.map((n) => [n, lines.filter((line) => line === `order ${n}`).length]));
}

function problemsOf(folder: string, n: number): string[] {
  const own = join(folder, String(n));
  const found = readdirSync(own).toSorted().join(', ');
  if (found !== 'new.txt') return [`the folder of order ${n} contains: ${found}`];
  const text = readFileSync(join(own, 'new.txt'), 'utf8');
  return text === `order ${n}` ? [] : [`the file of order ${n} contains: ${text}`];
}
