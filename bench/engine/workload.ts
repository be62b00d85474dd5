// The workload of every side: sizes, request bodies, sequential and concurrent runs.
import { performance } from 'node:perf_hooks';
import type { Json } from '#shared/json.ts';

/** Workflows at once. */
export const WORKFLOWS = 64;
export const RUNS_PER_WORKFLOW = 10;
/** After an idle pause the kernel keeps all threads on one core for about 30 runs (2.8 ms a run,
 * then 2.3). With 300 runs they do not reach the median. */
export const RUNS_ONE_AT_A_TIME = 300;

/** Polling dominates its time per run, so fewer runs are enough. */
export const OPENWORKFLOW_RUNS_PER_WORKFLOW = 4;
export const OPENWORKFLOW_RUNS_ONE_AT_A_TIME = 10;

/** The body of request `n` of the workflow number `workflow`. */
export function invoice(workflow: number, n: number): { readonly [name: string]: Json } {
  return { invoice: `2026-${workflow}-${n}`, amount: 1250 + n, currency: 'EUR' };
}

/** Times of sequential runs. */
export interface OneAtATime {
  /** Milliseconds from publish to committed. */
  readonly runs: readonly number[];
  /** Milliseconds of the POST alone, measured between the runs. */
  readonly posts: readonly number[];
}

export interface AtOnce {
  readonly runsPerSecond: number;
  /** CPU time of a run in the main thread. Hardly affected by other load on the machine. */
  readonly mainCpuMs: number;
  /** CPU time of a run in all threads of the process. */
  readonly cpuMs: number;
}

/** Starts one run of the workflow number `workflow` and resolves when it has committed. */
export type Run = (workflow: number) => Promise<unknown>;

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

/** Keeps one run of every workflow running at any time. */
export async function atOnce(runsPerWorkflow: number, run: Run): Promise<AtOnce> {
  const runs = WORKFLOWS * runsPerWorkflow;
  const mainBefore = process.threadCpuUsage();
  const before = process.cpuUsage();
  const ms = await timed(() =>
    Promise.all(
      Array.from({ length: WORKFLOWS }, async (_, workflow) => {
        for (let index = 0; index < runsPerWorkflow; index += 1) await run(workflow);
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
