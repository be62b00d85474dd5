import { randomUUID } from 'node:crypto';
import { runEventKey, type RunEventWrite } from '#shared/run-log.ts';

/** A valid write of spec 001 with these changes; its key is derived from them. */
export function runEvent(changes: Partial<RunEventWrite> = {}): RunEventWrite {
  const event = {
    eventId: randomUUID(),
    eventType: 'step.done',
    emittedAt: '2026-01-01T00:00:00.000Z',
    runId: 'run-1',
    tenantId: 'space-1',
    projectId: 'w',
    environmentId: 'main',
    planId: 'plan-1',
    planVersion: 'v1',
    engineAttemptId: 1,
    logicalAttemptId: 1,
    ...changes,
  };
  return { ...event, idempotencyKey: changes.idempotencyKey ?? runEventKey(event) };
}
