// Growth of the host's memory while a script writes a log of 1 GiB.
import { rmSync, statSync } from 'node:fs';
import { logPath } from '#main/runner/log-file.ts';
import { amount, type Figure } from '../harness.ts';
import type { BenchRunner } from './runner-host.ts';

const GIB = 1024 ** 3;
const BAR_MB = 50;
const SAMPLE_MS = 10;

export async function largeLogMemory(runner: BenchRunner): Promise<Figure> {
  return amount('log_1gib_memory', await growth(runner), 'MB', BAR_MB);
}

async function growth(runner: BenchRunner): Promise<number> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, SAMPLE_MS);
  const job = await runner.ended(runner.start('flood'));
  clearInterval(sampling);
  const path = logPath(runner.host.runner.config.logDir, job.id);
  if (statSync(path).size < GIB) throw new Error('The log is incomplete.');
  rmSync(path);
  return (peak - before) / 1e6;
}
