// Where the file tools of a cell work, and what came of it there. Counted from another process
// than the host's: a rename into place is seen each time it happens.
import { mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { THINGS, type EffectKind } from '#test/crash/matrix/cell.ts';

/** For the last notices of the system to come in. */
const NOTICES_MS = 20;

export interface Place {
  /** How often each thing was done. */
  counts(): Promise<Map<number, number>>;
  /** What is there and should not be, or the other way round. */
  problems(): string[];
  close(): void;
}

export function preparePlace(folder: string, effect: EffectKind): Place {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'log.txt'), 'the log\n');
  const cameUp = new Map<number, number>(THINGS.map((n) => [n, 0]));
  const watchers = THINGS.map((n) => {
    const own = join(folder, String(n));
    mkdirSync(own);
    if (effect === 'files.move') writeFileSync(join(own, 'old.txt'), `thing ${n}`);
    return watch(own, (type, name) => {
      if (type === 'rename' && name === 'new.txt') cameUp.set(n, (cameUp.get(n) ?? 0) + 1);
    });
  });
  return {
    counts: async () => {
      await pause(NOTICES_MS);
      return effect === 'files.append' ? countLines(folder) : cameUp;
    },
    problems: () => (effect === 'files.append' ? [] : THINGS.flatMap((n) => problemsOf(folder, n))),
    close: () => {
      for (const watcher of watchers) watcher.close();
    },
  };
}

function countLines(folder: string): Map<number, number> {
  const lines = readFileSync(join(folder, 'log.txt'), 'utf8').split('\n');
  return new Map(THINGS.map((n) => [n, lines.filter((line) => line === `thing ${n}`).length]));
}

function problemsOf(folder: string, n: number): string[] {
  const own = join(folder, String(n));
  const there = readdirSync(own).toSorted().join(', ');
  if (there !== 'new.txt') return [`in the folder of thing ${n}: ${there}`];
  const text = readFileSync(join(own, 'new.txt'), 'utf8');
  return text === `thing ${n}` ? [] : [`thing ${n} reads: ${text}`];
}
