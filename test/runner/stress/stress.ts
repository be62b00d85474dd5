// `npm run runner-stress [-- --jobs N] [-- --kills N] [-- --seed N] [-- --json]`: many jobs with
// random cancels and timeouts, while the host is killed and restarted. Exits 1 unless every job ended,
// none ran twice, no process is left, and every log is complete.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { audit, type Audit } from '#test/runner/stress/audit.ts';
import { startStressHost, type StressHost } from '#test/runner/stress/host-process.ts';
import { STRESS_SCRIPTS } from '#test/runner/stress/scripts.ts';
import { writeRegistry } from '#test/support/runner-files.ts';
import type { RestJob } from '#shared/api/runner-rest.ts';

/** The share of jobs that are canceled. */
const CANCELED_SHARE = 0.25;
const CLIENTS = 8;

interface Options {
  readonly jobs: number;
  readonly kills: number;
  readonly seed: number;
}

interface Stress {
  readonly dataDir: string;
  readonly random: () => number;
  host: StressHost;
  /** Requests wait while there is no host. */
  isUp: Promise<void>;
  readonly ids: Map<number, string>;
}

async function stress(options: Options, dataDir: string): Promise<Audit & Totals> {
  writeRegistry(dataDir, STRESS_SCRIPTS);
  const startedAt = performance.now();
  const run: Stress = {
    dataDir,
    random: randomFrom(options.seed),
    host: await startStressHost(dataDir),
    isUp: Promise.resolve(),
    ids: new Map(),
  };
  const cancels: Promise<void>[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < options.jobs) {
      const number = next;
      next += 1;
      await post(run, number);
      if (run.random() < CANCELED_SHARE) cancels.push(cancelLater(run, number));
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  for (let kill = 1; kill <= options.kills; kill += 1) {
    await untilEnded(run, (options.jobs * kill) / (options.kills + 1));
    await killAndStart(run);
  }
  await clients;
  await Promise.all(cancels);
  await untilEnded(run, options.jobs);
  const jobs = await allJobs(run);
  const exitCode = await run.host.stop();
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return { ...audit(dataDir, jobs), ...totalsOf(jobs, options, exitCode, seconds) };
}

/** Repeats the request until it is answered; the same key returns the same job. */
async function post(run: Stress, number: number): Promise<void> {
  const names = Object.keys(STRESS_SCRIPTS);
  const script = names[Math.floor(run.random() * names.length)] ?? 'quick';
  const body = { repo_key: 'main', script_key: script };
  for (;;) {
    await run.isUp;
    const answer = await run.host.ask('POST', 'jobs', body, `job ${number}`.replace(' ', '-'));
    if (answer && (answer.status === 201 || answer.status === 200)) {
      run.ids.set(number, String(answer.body['id']));
      return;
    }
    if (answer) throw new Error(`Not queued: ${JSON.stringify(answer)}`);
    await wait(50);
  }
}

async function cancelLater(run: Stress, number: number): Promise<void> {
  await wait(run.random() * 3000);
  await run.isUp;
  // The job may have ended, or the host may have died.
  await run.host.ask('POST', `jobs/${run.ids.get(number) ?? ''}/cancel`);
}

async function killAndStart(run: Stress): Promise<void> {
  let isUp: () => void = () => undefined;
  run.isUp = new Promise((resolve) => (isUp = resolve));
  await run.host.kill();
  run.host = await startStressHost(run.dataDir);
  isUp();
}

async function untilEnded(run: Stress, wanted: number): Promise<void> {
  for (;;) {
    const ended = (await allJobs(run)).filter(({ finished_at: at }) => at !== null).length;
    if (ended >= wanted) return;
    await wait(250);
  }
}

async function allJobs(run: Stress): Promise<RestJob[]> {
  const jobs: RestJob[] = [];
  for (let after = ''; ;) {
    await run.isUp;
    const answer = await run.host.ask('GET', `jobs?limit=200${after}`);
    if (!answer) throw new Error('The host does not answer.');
    jobs.push(...(answer.body['jobs'] as RestJob[]));
    const { next } = answer.body;
    if (typeof next !== 'string') return jobs;
    after = `&after=${next}`;
  }
}

interface Totals {
  readonly jobs: number;
  readonly wanted: number;
  readonly kills: number;
  readonly exitCode: number | null;
  readonly seconds: number;
  readonly byStatus: { readonly [status: string]: number };
}

function totalsOf(
  jobs: readonly RestJob[],
  { jobs: wanted, kills }: Options,
  exitCode: number | null,
  seconds: number,
): Totals {
  const byStatus: { [status: string]: number } = {};
  for (const { status, reason } of jobs) {
    const name = reason === null ? status : `${status}: ${reason}`;
    byStatus[name] = (byStatus[name] ?? 0) + 1;
  }
  return { jobs: jobs.length, wanted, kills, exitCode, seconds, byStatus };
}

function isSound(result: Audit & Totals): boolean {
  return (
    result.jobs === result.wanted &&
    result.exitCode === 0 &&
    result.unfinished === 0 &&
    result.ranTwice === 0 &&
    result.ranThoughCanceledBefore === 0 &&
    result.processesLeft === 0 &&
    result.tornLogs.length === 0
  );
}

/** A seeded generator (mulberry32), so that a failed run can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-stress-'));
try {
  const numbers = {
    jobs: Number(values.jobs),
    kills: Number(values.kills),
    seed: Number(values.seed),
  };
  const totals = await stress(numbers, dataDir);
  const ok = isSound(totals);
  const report = { name: 'runner-stress', ok, seed: numbers.seed, totals };
  process.stdout.write(`${JSON.stringify(report, null, values.json ? undefined : 2)}\n`);
  if (!ok) process.exitCode = 1;
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
