import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  emptySnapshot,
  projectRunEvents,
  runEventKey,
  type RunEventRecord,
} from '#shared/run-log.ts';

const parts = {
  runId: 'run-1',
  stepId: ' step ',
  logicalAttemptId: 2,
  eventType: 'step.done',
  planId: 'plan',
  planVersion: 'v1',
};

describe('idempotency key', () => {
  it('[RL-7] is the SHA-256 of the parts of spec 001, joined by |', () => {
    const expected = createHash('sha256').update('run-1|step|2|step.done|plan|v1').digest('hex');
    expect(runEventKey(parts)).toBe(expected);
  });

  it('[RL-7] equivalent spellings of a step id give one key, and a missing step is empty', () => {
    expect(runEventKey({ ...parts, stepId: 'caf\u00e9' })).toBe(
      runEventKey({ ...parts, stepId: 'cafe\u0301' }),
    );
    const without = createHash('sha256').update('run-1||2|step.done|plan|v1').digest('hex');
    expect(runEventKey({ ...parts, stepId: undefined })).toBe(without);
  });
});

describe('projection', () => {
  const record = (runSeq: number, eventType: string, stepId?: string): RunEventRecord => ({
    eventId: '00000000-0000-4000-8000-000000000000',
    eventType,
    emittedAt: `2026-01-01T00:00:0${runSeq}.000Z`,
    persistedAt: '2026-01-02T00:00:00.000Z',
    runId: 'run-1',
    tenantId: 't',
    projectId: 'p',
    environmentId: 'e',
    planId: 'plan',
    planVersion: 'v',
    engineAttemptId: 1,
    logicalAttemptId: 1,
    idempotencyKey: '0'.repeat(64),
    runSeq,
    ...(stepId === undefined ? {} : { stepId }),
  });

  it('[RL-8] projects status, times, counts and the last event of each step', () => {
    const snapshot = projectRunEvents(emptySnapshot('run-1'), [
      record(1, 'run.started'),
      record(2, 'step.begun', 'a'),
      record(3, 'step.done', 'a'),
      record(4, 'run.completed'),
    ]);
    expect(snapshot).toMatchObject({
      status: 'completed',
      lastRunSeq: 4,
      startedAt: '2026-01-01T00:00:01.000Z',
      endedAt: '2026-01-01T00:00:04.000Z',
      eventCounts: { 'run.started': 1, 'step.begun': 1, 'step.done': 1, 'run.completed': 1 },
      steps: { a: { eventType: 'step.done', runSeq: 3 } },
    });
  });

  it('[RL-8] the first final status stays, and the given snapshot is not changed', () => {
    const ended = projectRunEvents(emptySnapshot('run-1'), [record(1, 'run.failed')]);
    const later = projectRunEvents(ended, [record(2, 'run.started'), record(3, 'run.completed')]);
    expect(later).toMatchObject({ status: 'failed', endedAt: '2026-01-01T00:00:01.000Z' });
    expect(ended.lastRunSeq).toBe(1);
    expect(ended.eventCounts).toEqual({ 'run.failed': 1 });
  });

  it('[RL-11] "__proto__" and "constructor" are counted like other event types', () => {
    const words = ['__proto__', 'constructor', 'toString', '__proto__'];
    const snapshot = projectRunEvents(
      emptySnapshot('run-1'),
      words.map((word, index) => record(index + 1, word, word)),
    );
    expect(Object.keys(snapshot.eventCounts).toSorted()).toEqual([
      '__proto__',
      'constructor',
      'toString',
    ]);
    expect(JSON.parse(JSON.stringify(snapshot.eventCounts))['constructor']).toBe(1);
    expect(Object.getPrototypeOf(snapshot.steps)).toBe(Object.prototype);
    expect(snapshot.status).toBe('running');
    expect(({} as { eventType?: string }).eventType).toBeUndefined();
  });
});
