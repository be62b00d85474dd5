// The queue of jobs without a launcher: nothing here starts a process.
import { describe, expect, test } from 'vitest';
import { JobQueue, type JobRequest } from '#main/runner/job-queue.ts';
import { isRefusal } from '#main/runner/refusal.ts';
import { RegistryFile } from '#main/runner/registry-file.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import { openStore } from '#test/support/open-store.ts';
import { writeRegistry } from '#test/support/runner-files.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const REQUEST: JobRequest = {
  requestedBy: 'me',
  idempotencyKey: 'key',
  repoKey: 'main',
  scriptKey: 'tool',
  args: { name: 'a' },
};

function setUp(limits: { maxQueueSize?: number; maxQueuedPerUser?: number } = {}) {
  const args = { name: { type: 'string' } };
  const scripts = { tool: { sh: '', args, timeoutSeconds: 60 }, other: { sh: '', args } };
  const { registryPath } = writeRegistry(tempFolder(), scripts);
  const store = openStore();
  const canceled: string[] = [];
  const queue = new JobQueue({
    db: store.db,
    jobs: store.runnerJobs,
    registry: new RegistryFile(registryPath, () => undefined),
    logDir: tempFolder(),
    maxQueueSize: 100,
    maxQueuedPerUser: 100,
    onQueued: () => undefined,
    onCancel: (id) => canceled.push(id),
    ...limits,
  });
  const ask = (more: Partial<JobRequest> = {}) => {
    const answer = queue.enqueue({ ...REQUEST, ...more });
    return isRefusal(answer) ? answer.code : answer.type;
  };
  const job = (more: Partial<JobRequest> = {}): RunnerJob => {
    const answer = queue.enqueue({ ...REQUEST, ...more });
    if (isRefusal(answer)) throw new Error(answer.message);
    return answer.job;
  };
  return { store, queue, canceled, ask, job };
}

describe('the key of a job', () => {
  test('[RU-6] belongs to its script, repo, arguments and timeout', () => {
    const { ask, job, store } = setUp();
    const { id } = job();
    expect(job().id).toBe(id);
    const others: Partial<JobRequest>[] = [
      { scriptKey: 'other' },
      { repoKey: 'elsewhere' },
      { args: {} },
      { args: { name: 'b' } },
      { timeoutSeconds: 5 },
    ];
    for (const other of others) expect(ask(other), JSON.stringify(other)).toBe('key_used');
    expect(store.runnerJobs.queuedCount()).toBe(1);
  });

  test('[RU-6] belongs to its requester; without a key every request is a job', () => {
    const { ask } = setUp();
    expect([ask(), ask({ requestedBy: 'you' })]).toEqual(['created', 'created']);
    const none = { idempotencyKey: null };
    expect([ask(none), ask(none)]).toEqual(['created', 'created']);
  });

  test('[RU-6] still names its job after that has ended, unless the caller may replace it', () => {
    const { queue, ask, job } = setUp();
    const { id } = job();
    queue.cancel(id);
    expect(ask()).toBe('same');
    const asked: string[] = [];
    const mayReplace = (known: RunnerJob): boolean => asked.push(known.id) > 1;
    expect(queue.enqueue(REQUEST, mayReplace)).toMatchObject({ type: 'same', job: { id } });
    expect(queue.enqueue(REQUEST, mayReplace)).toMatchObject({ type: 'created' });
    expect(asked).toEqual([id, id]);
    expect(queue.enqueue(REQUEST, () => true)).toMatchObject({ type: 'same' });
  });
});

describe('the limits of the queue', () => {
  const none = { idempotencyKey: null };

  test('[RU-7] a full queue takes no job, and says when to retry', () => {
    const { queue, ask, store } = setUp({ maxQueueSize: 2 });
    expect([ask(none), ask(none), ask(none)]).toEqual(['created', 'created', 'queue_full']);
    expect(queue.enqueue({ ...REQUEST, ...none })).toMatchObject({
      status: 429,
      retryAfterSeconds: 5,
    });
    expect(store.runnerJobs.queuedCount()).toBe(2);
  });

  test('[RU-7] a requester with too many jobs is refused, and others are not', () => {
    const { ask } = setUp({ maxQueuedPerUser: 2 });
    expect([ask(none), ask(none), ask(none)]).toEqual(['created', 'created', 'queue_full']);
    expect(ask({ ...none, requestedBy: 'you' })).toBe('created');
  });

  test('[RU-7] a known key returns its job also while the queue is full', () => {
    const { ask } = setUp({ maxQueueSize: 1 });
    expect([ask(), ask(), ask(none)]).toEqual(['created', 'same', 'queue_full']);
  });

  test("[RU-1] a request shortens the registry's timeout and cannot exceed it", () => {
    const { job } = setUp();
    const timeout = (timeoutSeconds?: number): number =>
      job({ idempotencyKey: null, timeoutSeconds }).timeoutMs;
    expect([timeout(), timeout(5), timeout(600)]).toEqual([60_000, 5000, 60_000]);
  });
});

test('[RJ-1] canceling a queued job ends it at once and reaches the launcher; an ended job is refused', () => {
  const { queue, canceled, job } = setUp();
  const { id } = job();
  expect(queue.cancel(id)).toMatchObject({ state: { status: 'canceled' } });
  expect(canceled).toEqual([id]);
  expect(queue.cancel(id)).toMatchObject({ code: 'job_ended' });
  expect(queue.cancel('none')).toMatchObject({ code: 'unknown_job' });
});
