// Appending to the run log: `RunStateStore.append` against the same statement without the store.
import { randomUUID } from 'node:crypto';
import type SQLite from 'better-sqlite3';
import { compare, rate, type Figure } from '../harness.ts';
import { expectSameShape, withBothSides } from './both-sides.ts';
import { rfc3339 } from '#shared/clock.ts';
import { runEventKey, type RunEventWrite } from '#shared/run-log.ts';

const BAR = 0.7;
const BATCH = 100;
const SLICES_PER_ROUND = 20;
/** About as many as a run with a few steps has. */
const EVENTS_PER_RUN = 25;
const FIRST_ROW = 'SELECT facts FROM run_events LIMIT 1';

export function appendOnePerTransaction(): Figure {
  return withBothSides((sides) => {
    const { stores, sqlite } = sides;
    const { appendBaseline, begin, commit } = statements(sqlite);
    const measured = compare({
      operationsPerSlice: BATCH,
      slicesPerRound: SLICES_PER_ROUND,
      subject: () => {
        const events = freshEvents();
        return () => {
          for (const event of events) stores.runState.append(event);
        };
      },
      baseline: () => {
        const events = freshEvents();
        return () => {
          for (const event of events) {
            begin.run();
            appendBaseline(event);
            commit.run();
          }
        };
      },
    });
    expectSameShape(sides, FIRST_ROW);
    return rate('append_one_per_transaction', measured, BAR);
  });
}

export function appendBatched(): Figure {
  return withBothSides((sides) => {
    const { stores, sqlite } = sides;
    const { appendBaseline, begin, commit } = statements(sqlite);
    const measured = compare({
      operationsPerSlice: BATCH,
      slicesPerRound: SLICES_PER_ROUND,
      subject: () => {
        const events = freshEvents();
        return () => {
          stores.db.write(() => {
            for (const event of events) stores.runState.append(event);
          });
        };
      },
      baseline: () => {
        const events = freshEvents();
        return () => {
          begin.run();
          for (const event of events) appendBaseline(event);
          commit.run();
        };
      },
    });
    expectSameShape(sides, FIRST_ROW);
    return rate(`append_${BATCH}_per_transaction`, measured, BAR);
  });
}

/** The same single statement as the store: checks the key, takes the next number and inserts. */
function statements(sqlite: SQLite.Database) {
  const insert = sqlite
    .prepare<[string, string, string, string, string, string], number>(
      `INSERT INTO run_events (run_id, idempotency_key, facts)
       SELECT ?, ?, '{"run_seq":' || (
           SELECT coalesce(max(run_seq), 0) + 1 FROM run_events WHERE run_id = ?
         ) || ',' || ?
       WHERE NOT EXISTS (SELECT 1 FROM run_events WHERE run_id = ? AND idempotency_key = ?)
       RETURNING run_seq`,
    )
    .pluck();
  return {
    begin: sqlite.prepare('BEGIN IMMEDIATE'),
    commit: sqlite.prepare('COMMIT'),
    appendBaseline: (event: RunEventWrite): void => {
      const { runId, idempotencyKey } = event;
      const facts = JSON.stringify({
        persisted_at: rfc3339(Date.now()),
        event_id: event.eventId,
        event_type: event.eventType,
        emitted_at: event.emittedAt,
        tenant_id: event.tenantId,
        project_id: event.projectId,
        environment_id: event.environmentId,
        plan_id: event.planId,
        plan_version: event.planVersion,
        engine_attempt_id: event.engineAttemptId,
        logical_attempt_id: event.logicalAttemptId,
        step_id: event.stepId,
        payload: event.payload,
      });
      insert.get(runId, idempotencyKey, runId, facts.slice(1), runId, idempotencyKey);
    },
  };
}

function freshEvents(): RunEventWrite[] {
  let runId = '';
  return Array.from({ length: BATCH }, (_, index) => {
    if (index % EVENTS_PER_RUN === 0) runId = randomUUID().replaceAll('-', '');
    return eventOf(runId, `step-${index % EVENTS_PER_RUN}`);
  });
}

function eventOf(runId: string, stepId: string): RunEventWrite {
  const identity = {
    runId,
    stepId,
    eventType: 'step.completed',
    logicalAttemptId: 1,
    planId: '5b1f0c6b1a2e4d7f9a3c8e5d7b6a4f21',
    planVersion: '0f4d1c9e7a6b5d3c2e1f0a9b8c7d6e5f',
  };
  return {
    ...identity,
    idempotencyKey: runEventKey(identity),
    eventId: randomUUID(),
    emittedAt: rfc3339(Date.now()),
    tenantId: 'space-1',
    projectId: 'workflow-1',
    environmentId: 'main',
    engineAttemptId: 1,
    payload: {
      deviceId: 'device-a',
      title: 'Invoice 2026-0042 was filed',
      result: { folder: '2026/invoices', bytes: 48_213, tags: ['invoice', 'paid'] },
    },
  };
}
