// Jobs per second of a program that does nothing, four at a time, from enqueue to the recorded end;
// against spawning the program directly, four at a time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { perSecond, type Figure } from '../harness.ts';
import { CONCURRENCY, PROGRAM, type BenchRunner } from './runner-host.ts';

const JOBS = 200;
const BAR = 0.5;

/** The order alternates by round, so that what one side leaves behind does not favour the other. */
export async function jobsPerSecond(runner: BenchRunner, round: number): Promise<Figure> {
  const measured = { subject: 0, baseline: 0 };
  const turns = [
    async () => {
      measured.baseline = JOBS / (await timed(spawnDirectly));
    },
    async () => {
      measured.subject = JOBS / (await timed(() => jobs(runner)));
    },
  ];
  for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
  return perSecond('jobs_per_s_4', measured.subject, measured.baseline, BAR);
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
