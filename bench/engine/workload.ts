// What all sides do alike: the sizes, the request, and how runs are made one at a time and at once.
import { performance } from 'node:perf_hooks';
import type { Json } from '#shared/json.ts';

/** Workflows at once. */
export const LANES = 64;
export const RUNS_PER_LANE = 10;
/** A side comes from a pause of seconds, and for its first 30 runs or so the kernel has all of its
 * threads on one core (seen: 2.8 ms a run, then 2.3): so many that the median tells of the rest. */
export const RUNS_ONE_AT_A_TIME = 300;

/** It waits for the next look at its queue between runs: fewer say as much. */
export const OPENWORKFLOW_RUNS_PER_LANE = 4;
export const OPENWORKFLOW_RUNS_ONE_AT_A_TIME = 10;

/** What is sent: number `n` of the workflow `lane`. */
export function invoice(lane: number, n: number): { readonly [name: string]: Json } {
  return { invoice: `2026-${lane}-${n}`, amount: 1250 + n, currency: 'EUR' };
}

/** What one side tells of its runs, one after the other. */
export interface OneAtATime {
  /** Milliseconds from publish to committed. */
  readonly runs: readonly number[];
  /** Of the same request by itself, between the runs. */
  readonly posts: readonly number[];
}

export interface AtOnce {
  readonly runsPerSecond: number;
  /** Computing time of a run in the main thread: what others do on the machine hardly changes it. */
  readonly mainCpuMs: number;
  /** In all threads of the process. */
  readonly cpuMs: number;
}

/** `run` makes one run of the workflow `lane` and resolves when it has been committed. */
export type Run = (lane: number) => Promise<unknown>;

export async function oneAtATime(
  count: number,
  run: Run,
  post: (() => Promise<unknown>) | null,
): Promise<OneAtATime> {
  const runs: number[] = [];
  const posts: number[] = [];
  for (let index = 0; index < count; index += 1) {
    runs.push(await timed(() => run(0)));
    if (post) posts.push(await timed(post));
  }
  return { runs, posts };
}

/** Every workflow has one run going at any time. */
export async function atOnce(runsPerLane: number, run: Run): Promise<AtOnce> {
  const runs = LANES * runsPerLane;
  const mainBefore = process.threadCpuUsage();
  const before = process.cpuUsage();
  const ms = await timed(() =>
    Promise.all(
      Array.from({ length: LANES }, async (_, lane) => {
        for (let index = 0; index < runsPerLane; index += 1) await run(lane);
      }),
    ),
  );
  return {
    runsPerSecond: (runs * 1000) / ms,
    mainCpuMs: inMs(process.threadCpuUsage(mainBefore)) / runs,
    cpuMs: inMs(process.cpuUsage(before)) / runs,
  };
}

function inMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
