import { describe, expect, test } from 'vitest';
import { isRefused } from '#main/store/sqlite/sqlite-errors.ts';
import type { NewRunnerJob } from '#main/store/tables/runner-job-row.ts';
import {
  RUNNER_JOB_STATUSES,
  transitionRunnerJob,
  type RunnerJobState,
  type RunnerJobTransition,
} from '#shared/machines/runner-job.ts';
import { walk } from '#test/support/walk-state-machine.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';

const JOB: NewRunnerJob = {
  requestedBy: 'me',
  idempotencyKey: null,
  payloadHash: 'h',
  repoKey: 'r',
  scriptKey: 's',
  args: {},
  timeoutMs: 1000,
};

const SELF = { owner: 'a', bootId: 'b', pid: 1, pidStarted: '1' };

function launch(store: OpenStore): number {
  return store.runnerLauncher.acquire(SELF, () => true) as number;
}

const refusedBy = (work: () => unknown): string => {
  try {
    work();
    return '';
  } catch (error) {
    if (isRefused(error)) return error.message;
    throw error;
  }
};

describe('runner jobs', () => {
  test('[RU-5] the triggers and the pure machine allow the same transitions', () => {
    const events: RunnerJobTransition[] = [
      { type: 'claim', at: 1 },
      { type: 'request_cancel', at: 2 },
      { type: 'exit', exitCode: 0, at: 3 },
      { type: 'exit', exitCode: 1, at: 3 },
      { type: 'time_out', at: 4 },
      { type: 'fail', reason: 'x', at: 5 },
    ];
    const steps = walk<RunnerJobState, RunnerJobTransition>(
      { status: 'queued' },
      events,
      transitionRunnerJob,
      JSON.stringify,
    );
    const pure = [
      ...new Set(steps.map(({ from, to }) => `${from.status} ${to.status}`)),
    ].toSorted();
    const store = openStore();
    const { id } = store.runnerJobs.create(JOB);
    const trigger = store.db.value<string>(
      `SELECT sql FROM sqlite_schema WHERE name = 'runner_jobs_legal'`,
    ) as string;
    const put = (status: string): string =>
      `UPDATE runner_jobs SET status = '${status}', launcher_version = 1, cancel_requested_at = 9,
         started_at = CASE WHEN '${status}' = 'queued' THEN NULL ELSE created_at END,
         finished_at = CASE WHEN '${status}' IN ('queued', 'running', 'cancel_requested') THEN NULL ELSE created_at END,
         exit_code = CASE WHEN '${status}' = 'succeeded' THEN 0 END WHERE id = '${id}'`;
    const allowed: string[] = [];
    for (const from of RUNNER_JOB_STATUSES) {
      for (const to of RUNNER_JOB_STATUSES) {
        store.db.exec('DROP TRIGGER runner_jobs_legal');
        store.db.exec(put(from));
        store.db.exec(trigger);
        if (refusedBy(() => store.db.exec(put(to))) === '') allowed.push(`${from} ${to}`);
      }
    }
    expect(allowed.toSorted()).toEqual(pure);
    expect(pure.length).toBe(10);
  });

  test.each([
    [`status = 'nonsense'`],
    [`status = 'running'`],
    [`status = 'running', started_at = created_at, launcher_version = 1, finished_at = created_at`],
    [`status = 'running', started_at = created_at - 1, launcher_version = 1`],
    [`status = 'canceled'`],
    [`status = 'failed', finished_at = created_at - 1`],
    [`timeout_ms = 5`],
    [`args = '{}'`],
    [`requested_by = 'other'`],
  ])('[RU-5] the database refuses to set: %s', (set) => {
    const store = openStore();
    const { id } = store.runnerJobs.create(JOB);
    expect(
      refusedBy(() => store.db.run(`UPDATE runner_jobs SET ${set} WHERE id = ?`, id)),
    ).not.toBe('');
    expect(store.runnerJobs.get(id)?.state).toEqual({ status: 'queued' });
  });

  test("[RU-5] the database refuses a job that doesn't start queued, and refuses to delete one", () => {
    const store = openStore();
    const { id } = store.runnerJobs.create(JOB);
    expect(refusedBy(() => store.db.run('DELETE FROM runner_jobs'))).toContain('immutable');
    const copy = `INSERT INTO runner_jobs (id, requested_by, payload_hash, repo_key, script_key, args,
      timeout_ms, status, created_at, finished_at) VALUES ('x', 'a', 'h', 'r', 's', '{}', 1, 'failed', 1, 1)`;
    expect(refusedBy(() => store.db.run(copy))).toContain('illegal transition');
    expect(store.runnerJobs.get(id)).toBeDefined();
  });

  test("[RU-5] after the clock was set back, a job's end is not before its start", async () => {
    const store = openStore();
    const version = launch(store);
    const job = store.runnerJobs.create(JOB);
    store.runnerJobs.claim({ version, bootId: 'b' }, []);
    const at = job.createdAt - 100_000;
    const moved = store.runnerJobs.end(job.id, version, { type: 'exit', exitCode: 0, at });
    expect(moved).toMatchObject({ type: 'moved', job: { state: { finishedAt: job.createdAt } } });
  });

  test('[RU-6] the database allows one active job per requester and key, and a new one after it ended', () => {
    const store = openStore();
    const keyed = { ...JOB, idempotencyKey: 'k' };
    const first = store.runnerJobs.create(keyed);
    expect(refusedBy(() => store.runnerJobs.create(keyed))).toContain('UNIQUE');
    store.runnerJobs.create({ ...keyed, requestedBy: 'you' });
    store.runnerJobs.requestCancel(first.id);
    const second = store.runnerJobs.create(keyed);
    expect(store.runnerJobs.ofKey('me', 'k')?.id).toBe(second.id);
  });

  test('[RU-8] each status change appends an event, and events cannot be changed or deleted', () => {
    const store = openStore();
    const version = launch(store);
    const { id } = store.runnerJobs.create(JOB);
    store.runnerJobs.claim({ version, bootId: 'b' }, []);
    store.runnerJobs.requestCancel(id);
    store.runnerJobs.end(id, version, { type: 'exit', exitCode: 1, at: store.clock.now() });
    expect(store.runnerJobs.events(id).map(({ seq, type }) => `${seq} ${type}`)).toEqual([
      '1 queued',
      '2 running',
      '3 cancel_requested',
      '4 canceled',
    ]);
    expect(refusedBy(() => store.db.run(`UPDATE runner_job_events SET type = 'x'`))).toContain(
      'immutable',
    );
    expect(refusedBy(() => store.db.run('DELETE FROM runner_job_events'))).toContain('immutable');
  });

  test('[RU-12] a launcher with an old lock version cannot claim, end, or record a start', () => {
    const store = openStore();
    const old = launch(store);
    const { id } = store.runnerJobs.create(JOB);
    const running = store.runnerJobs.claim({ version: old, bootId: 'b' }, []);
    expect(running?.id).toBe(id);
    const young = launch(store);
    expect(young).toBe(old + 1);
    store.runnerJobs.create(JOB);
    expect(store.runnerJobs.claim({ version: old, bootId: 'b' }, [])).toBeUndefined();
    const end = { type: 'exit', exitCode: 0, at: store.clock.now() } as const;
    expect(store.runnerJobs.end(id, old, end)).toEqual({ type: 'fenced' });
    expect(store.runnerJobs.spawned(id, old, 1, '1')).toBe(false);
    expect(store.runnerLauncher.heartbeat(old)).toBe(false);
    expect(store.runnerJobs.get(id)?.state.status).toBe('running');
  });

  test('[RU-12] the lock is refused while its holder may be alive, and granted after its release', () => {
    const store = openStore();
    const version = launch(store);
    const other = { ...SELF, owner: 'other' };
    expect(store.runnerLauncher.acquire(other, () => false)).toBeUndefined();
    expect(store.runnerLauncher.get()).toMatchObject({ owner: 'a', version });
    store.runnerLauncher.release(version);
    expect(store.runnerLauncher.acquire(other, () => false)).toBe(version + 1);
  });

  test('[RU-13] claim takes the oldest queued job whose script is not busy', () => {
    const store = openStore();
    const version = launch(store);
    const ids = ['a', 'a', 'b'].map(
      (scriptKey) => store.runnerJobs.create({ ...JOB, scriptKey }).id,
    );
    const claim = (busy: string[]) => store.runnerJobs.claim({ version, bootId: 'b' }, busy)?.id;
    expect(claim(['a'])).toBe(ids[2]);
    expect(claim([])).toBe(ids[0]);
    expect(claim(['a'])).toBeUndefined();
    expect(claim([])).toBe(ids[1]);
    expect(claim([])).toBeUndefined();
  });
});
