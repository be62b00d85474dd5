// What the host needs more of while a script writes a log of one gibibyte.
import { rmSync, statSync } from 'node:fs';
import { logPath } from '#main/runner/log-file.ts';
import { amount, median, type Figure } from '../harness.ts';
import type { BenchRunner } from './runner-host.ts';

const GIB = 1024 ** 3;
const ROUNDS = 3;
const BAR_MB = 50;
const LOOK_MS = 10;

export async function largeLogMemory(runner: BenchRunner): Promise<Figure> {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await growth(runner));
  return amount('log_1gib_memory', median(rounds), 'MB', BAR_MB);
}

async function growth(runner: BenchRunner): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, LOOK_MS);
  const job = await runner.ended(runner.start('flood'));
  clearInterval(watch);
  const path = logPath(runner.host.runner.config.logDir, job.id);
  if (statSync(path).size < GIB) throw new Error('The log is not whole.');
  rmSync(path);
  return (most - before) / 1e6;
}
