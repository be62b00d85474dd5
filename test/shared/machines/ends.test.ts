// The state machines of automation runs and runner jobs.
import { describe, expect, it } from 'vitest';
import {
  AUTOMATION_RUN_STATUSES,
  isUnfinished,
  transitionAutomationRun,
  type AutomationRunState,
  type AutomationRunTransition,
} from '#shared/machines/automation-run.ts';
import {
  RUNNER_JOB_STATUSES,
  transitionRunnerJob,
  type RunnerJobState,
  type RunnerJobTransition,
} from '#shared/machines/runner-job.ts';
import { isRejection } from '#shared/rejection.ts';
import { walk } from '#test/support/walk-state-machine.ts';

const RUN_EVENTS: AutomationRunTransition[] = [
  { type: 'enrich' },
  { type: 'enriched' },
  { type: 'execute' },
  { type: 'need_human', reason: 'unknown outcome' },
  { type: 'go_on' },
  { type: 'complete', completionId: 'c1' },
  { type: 'fail', stage: 'execute', reason: 'boom' },
  { type: 'time_out', stage: 'finalize', reason: 'deadline' },
  { type: 'cancel', reason: 'asked' },
  { type: 'skip', reason: 'asked' },
  { type: 'settle', as: 'succeeded', reason: 'I saw it', completionId: 'c2' },
  { type: 'settle', as: 'failed', reason: 'I saw it', completionId: 'c3' },
];

describe('automation runs', () => {
  const steps = walk<AutomationRunState, AutomationRunTransition>(
    { status: 'queued' },
    RUN_EVENTS,
    transitionAutomationRun,
    JSON.stringify,
  );
  const pairs = new Set(steps.map(({ from, to }) => `${from.status} ${to.status}`));

  it('[AR-1] the primary flow exists, and every status is reachable', () => {
    for (const pair of [
      'queued enriching',
      'enriching ready',
      'ready running',
      'running succeeded',
      'running needs_human',
      'needs_human running',
    ]) {
      expect(pairs).toContain(pair);
    }
    const reached = new Set(['queued', ...steps.map(({ to }) => to.status)]);
    expect([...reached].toSorted()).toEqual([...AUTOMATION_RUN_STATUSES].toSorted());
  });

  it('[AR-1] no stage can be skipped', () => {
    for (const pair of ['queued ready', 'queued running', 'ready succeeded', 'enriching running']) {
      expect(pairs).not.toContain(pair);
    }
  });

  it('[AR-1] every unfinished status can fail, time out, be canceled or be skipped', () => {
    for (const status of AUTOMATION_RUN_STATUSES.filter(isUnfinished)) {
      for (const end of ['failed', 'timed_out', 'canceled', 'skipped']) {
        expect(pairs).toContain(`${status} ${end}`);
      }
    }
  });

  it('[AR-2] only failed, timed_out and needs_human can be settled, once, with a reason', () => {
    const settle = RUN_EVENTS.find(({ type }) => type === 'settle') as AutomationRunTransition;
    for (const { to } of steps) {
      const isSettled = 'settled' in to;
      const isSettleable = ['failed', 'timed_out', 'needs_human'].includes(to.status) && !isSettled;
      const settled = transitionAutomationRun(to, settle);
      expect(isRejection(settled)).toBe(!isSettleable);
      if (isSettleable) expect(settled).toMatchObject({ settled: 'I saw it' });
    }
  });

  it('[AR-2] succeeded, canceled and skipped never change', () => {
    for (const end of ['succeeded', 'canceled', 'skipped']) {
      expect([...pairs].filter((pair) => pair.startsWith(`${end} `))).toEqual([]);
    }
  });
});

const JOB_EVENTS: RunnerJobTransition[] = [
  { type: 'claim', at: 1 },
  { type: 'request_cancel', at: 2 },
  { type: 'exit', exitCode: 0, at: 3 },
  { type: 'exit', exitCode: 1, at: 3 },
  { type: 'time_out', at: 4 },
  { type: 'fail', reason: 'recovered_after_crash', at: 5 },
];

describe('runner jobs', () => {
  const steps = walk<RunnerJobState, RunnerJobTransition>(
    { status: 'queued' },
    JOB_EVENTS,
    transitionRunnerJob,
    JSON.stringify,
  );
  const pairs = new Set(steps.map(({ from, to }) => `${from.status} ${to.status}`));

  it('[RJ-1] allows exactly these transitions', () => {
    expect([...pairs].toSorted()).toEqual([
      'cancel_requested canceled',
      'cancel_requested failed',
      'cancel_requested timed_out',
      'queued canceled',
      'queued failed',
      'queued running',
      'running cancel_requested',
      'running failed',
      'running succeeded',
      'running timed_out',
    ]);
  });

  it('[RJ-2] every status is reachable, and final ones never change', () => {
    const reached = new Set(['queued', ...steps.map(({ to }) => to.status)]);
    expect([...reached].toSorted()).toEqual([...RUNNER_JOB_STATUSES].toSorted());
    const ends = steps.map(({ to }) => to).filter((state) => 'finishedAt' in state);
    expect(ends.length).toBeGreaterThan(4);
    for (const end of ends) {
      for (const event of JOB_EVENTS)
        expect(isRejection(transitionRunnerJob(end, event))).toBe(true);
    }
  });
});
