// Jobs per second of a program that does nothing, four at a time, from enqueue to the recorded end;
// against spawning the program directly, four at a time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { median, perSecond, type Figure } from '../harness.ts';
import { CONCURRENCY, PROGRAM, type BenchRunner } from './runner-host.ts';

const JOBS = 200;
const ROUNDS = 5;
const BAR = 0.5;

export async function jobsPerSecond(runner: BenchRunner): Promise<Figure> {
  // Warm-up: fills caches. Not counted.
  await timed(() => jobs(runner));
  await timed(spawnDirectly);
  const subject: number[] = [];
  const baseline: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    baseline.push(JOBS / (await timed(spawnDirectly)));
    subject.push(JOBS / (await timed(() => jobs(runner))));
  }
  return perSecond('jobs_per_s_4', median(subject), median(baseline), BAR);
}

async function jobs(runner: BenchRunner): Promise<void> {
  const started = Array.from({ length: JOBS }, () => runner.start('true'));
  for (const job of started) {
    const { state } = await runner.ended(job);
    if (state.status !== 'succeeded') throw new Error(`A job ended as ${state.status}.`);
  }
}

async function spawnDirectly(): Promise<void> {
  let left = JOBS;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const child = spawn(PROGRAM);
      child.stdout.resume();
      child.stderr.resume();
      await once(child, 'close');
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, one));
}

/** In seconds. */
async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
