// The pure machines in src-shared and the triggers in the database state the same rules. Every pair
// of states is tried in both.
import { describe, expect, it } from 'vitest';
import type { Database } from '#main/store/sqlite/database.ts';
import { isRefused } from '#main/store/sqlite/sqlite-errors.ts';
import { automationRunId } from '#shared/ids.ts';
import {
  AUTOMATION_RUN_STATUSES,
  transitionAutomationRun,
  type AutomationRunState,
  type AutomationRunTransition,
} from '#shared/machines/automation-run.ts';
import {
  EVENT_STATUSES,
  transitionEvent,
  type EventState,
  type EventTransition,
} from '#shared/machines/event.ts';
import {
  PHASES,
  transitionConsumerRun,
  transitionProducerRun,
  type ConsumerRunState,
  type ConsumerTransition,
  type HandlerRunState,
  type ProducerRunState,
  type ProducerTransition,
} from '#shared/machines/handler-run.ts';
import {
  MUTATION_STATUSES,
  RESOLUTIONS,
  transitionMutation,
  type MutationState,
  type MutationTransition,
} from '#shared/machines/mutation.ts';
import {
  transitionScriptRun,
  type ScriptRunState,
  type ScriptRunTransition,
} from '#shared/machines/script-run.ts';
import { SCRIPT_RUN_STATUSES, TERMINAL_SCRIPT_RUN_STATUSES } from '#shared/session-enums.ts';
import { walk } from '#test/support/walk-state-machine.ts';
import { openStore } from '#test/support/open-store.ts';

/** Writes any state into a row as a merge would, without the triggers for local writes. */
function force(db: Database, table: string, column: string, id: string, value: object): void {
  db.run(`SELECT crsql_internal_sync_bit(1)`);
  db.run(`UPDATE ${table} SET ${column} = ? WHERE id = ?`, JSON.stringify(value), id);
  db.run(`SELECT crsql_internal_sync_bit(0)`);
}

function isAllowed(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
    throw error;
  }
}

/** Tries every pair of shapes on one row of the table; returns those that the database allowed. */
function allowedPairs(
  db: Database,
  row: { table: string; column: string; id: string },
  shapes: readonly object[],
): string[] {
  const { table, column, id } = row;
  const allowed: string[] = [];
  for (const from of shapes) {
    for (const to of shapes) {
      force(db, table, column, id, from);
      const write = (): void => {
        db.run(`UPDATE ${table} SET ${column} = ? WHERE id = ?`, JSON.stringify(to), id);
      };
      if (isAllowed(write)) allowed.push(`${JSON.stringify(from)} ${JSON.stringify(to)}`);
    }
  }
  return allowed.toSorted();
}

const unique = (texts: string[]): string[] => [...new Set(texts)].toSorted();

describe('the triggers and the pure machine allow the same transitions', () => {
  it('[EV-8] of events', () => {
    const store = openStore();
    const topic = store.topics.ensure('w', 't');
    store.events.publish({ topic, messageId: 'm', title: 'T', payload: null });
    const { id } = store.events.peek(topic.id, 1)[0] as { id: string };
    const events: EventTransition[] = [
      { type: 'reserve', runId: 'r' },
      { type: 'release', runId: 'r' },
      { type: 'consume', runId: 'r' },
      { type: 'skip' },
      { type: 'rerun' },
    ];
    const steps = walk<EventState, EventTransition>(
      { status: 'pending', attempt: 1 },
      events,
      transitionEvent,
      ({ status }) => status,
    );
    const shape = (status: string | undefined): object => (status ? { status } : {});
    const pure = unique(
      steps.map(({ from, to }) => {
        return `${JSON.stringify(shape(from.status))} ${JSON.stringify(shape(to.status))}`;
      }),
    );
    const shapes = [...EVENT_STATUSES, 'nonsense', undefined].map(shape);
    const row = { table: 'events', column: 'progress', id };
    expect(allowedPairs(store.db, row, shapes)).toEqual(pure);
    expect(pure.length).toBe(7);
  });

  it('[AR-4] of automation runs, including settled ones', () => {
    const store = openStore();
    store.automationRuns.insert('i', {
      workflowId: 'w',
      triggerId: 't',
      kind: 'webhook',
      source: 's',
    });
    const settle = { type: 'settle', reason: 'seen', completionId: 'c' } as const;
    const events: AutomationRunTransition[] = [
      { type: 'enrich' },
      { type: 'enriched' },
      { type: 'execute' },
      { type: 'need_human', reason: 'r' },
      { type: 'go_on' },
      { type: 'complete', completionId: 'c' },
      { type: 'fail', stage: 'execute', reason: 'r' },
      { type: 'time_out', stage: 'finalize', reason: 'r' },
      { type: 'cancel', reason: 'r' },
      { type: 'skip', reason: 'r' },
      { ...settle, as: 'succeeded' },
      { ...settle, as: 'failed' },
    ];
    const shape = (state: AutomationRunState): object => ({
      status: state.status,
      ...('settled' in state ? { settled: state.settled } : {}),
    });
    const steps = walk<AutomationRunState, AutomationRunTransition>(
      { status: 'queued' },
      events,
      transitionAutomationRun,
      (state) => JSON.stringify(shape(state)),
    );
    const pure = unique(
      steps.map(({ from, to }) => `${JSON.stringify(shape(from))} ${JSON.stringify(shape(to))}`),
    );
    const shapes = [
      ...AUTOMATION_RUN_STATUSES.map((status) => ({ status })),
      { status: 'succeeded', settled: 'seen' },
      { status: 'failed', settled: 'seen' },
      { status: 'nonsense' },
      {},
    ];
    const row = { table: 'automation_runs', column: 'progress', id: automationRunId('i') };
    expect(allowedPairs(store.db, row, shapes)).toEqual(pure);
    expect(pure.length).toBe(32);
  });

  it('[SR-12] of script runs', async () => {
    const store = openStore();
    store.workflows.create('w', { name: 'W', scriptId: null });
    const started = await store.runContexts.createRunContext({
      workflowId: 'w',
      lane: 'main',
      startRequestId: 's',
      trigger: 'manual',
    });
    if (started.type !== 'started') throw new Error(started.type);
    const ends = TERMINAL_SCRIPT_RUN_STATUSES.map((status): ScriptRunTransition => ({
      type: 'end',
      status,
      terminalEventId: 'e',
      endedAt: 1,
    }));
    const steps = walk<ScriptRunState, ScriptRunTransition>(
      { status: 'booting' },
      [{ type: 'bind', sandboxId: 'b' }, { type: 'validate' }, ...ends],
      transitionScriptRun,
      ({ status }) => status,
    );
    const shape = (status: string | undefined): object => (status ? { status } : {});
    const pure = unique(
      steps.map(({ from, to }) => {
        return `${JSON.stringify(shape(from.status))} ${JSON.stringify(shape(to.status))}`;
      }),
    );
    const shapes = [...SCRIPT_RUN_STATUSES, 'nonsense', undefined].map(shape);
    const row = { table: 'script_runs', column: 'progress', id: started.run.id };
    expect(allowedPairs(store.db, row, shapes)).toEqual(pure);
    expect(pure.length).toBe(17);
  });

  const common = [
    { type: 'suspend', reason: 'transient' },
    { type: 'resume' },
    { type: 'commit', outputState: null, at: 1 },
    { type: 'fail', errorType: 'logic', error: 'x', at: 1 },
  ] as const;

  const phaseShape = (state: HandlerRunState): object =>
    state.phase === 'suspended'
      ? { phase: state.phase, resume_phase: state.resumePhase }
      : { phase: state.phase };

  const phaseShapes = [
    ...PHASES.filter((phase) => phase !== 'suspended').map((phase) => ({ phase })),
    ...[...PHASES, undefined].map((resumePhase) => ({
      phase: 'suspended',
      ...(resumePhase ? { resume_phase: resumePhase } : {}),
    })),
    { phase: 'nonsense' },
    {},
  ];

  function newRun(handlerType: 'consumer' | 'producer'): { db: Database; id: string } {
    const store = openStore();
    const { id } = store.handlerRuns.create({
      scriptRunId: 's',
      workflowId: 'w',
      handlerType,
      handlerName: 'h',
      inputState: null,
      epoch: 1,
    });
    return { db: store.db, id };
  }

  /**
   * The trigger doesn't check the resume phase of a suspension; only the machine does. So suspensions
   * are compared by phase alone, resumptions in full.
   */
  const mergeSuspended = (pairs: string[]): string[] =>
    unique(
      pairs.map((pair) => {
        const [from, to] = pair.split(' ') as [string, string];
        return `${from} ${to.includes('suspended') ? '{"phase":"suspended"}' : to}`;
      }),
    );

  it('[HR-8] of consumer runs', () => {
    const { db, id } = newRun('consumer');
    const events: ConsumerTransition[] = [
      { type: 'prepare' },
      { type: 'checkpoint' },
      { type: 'mutate' },
      { type: 'settle' },
      { type: 'emit' },
      ...common,
    ];
    const steps = walk<ConsumerRunState, ConsumerTransition>(
      { phase: 'pending' },
      events,
      transitionConsumerRun,
      (state) => JSON.stringify(phaseShape(state)),
    );
    const pure = steps.map(
      ({ from, to }) => `${JSON.stringify(phaseShape(from))} ${JSON.stringify(phaseShape(to))}`,
    );
    const row = { table: 'handler_runs', column: 'progress', id };
    const reachable = new Set(['{"phase":"pending"}', ...pure.map((pair) => pair.split(' ')[1])]);
    const allowed = allowedPairs(db, row, phaseShapes).filter((pair) =>
      reachable.has(pair.split(' ')[0]),
    );
    expect(mergeSuspended(allowed)).toEqual(mergeSuspended(pure));
    expect(mergeSuspended(pure).length).toBe(29);
  });

  it('[HR-8] of producer runs', () => {
    const { db, id } = newRun('producer');
    const events: ProducerTransition[] = [{ type: 'execute' }, ...common];
    const steps = walk<ProducerRunState, ProducerTransition>(
      { phase: 'pending' },
      events,
      transitionProducerRun,
      (state) => JSON.stringify(phaseShape(state)),
    );
    const pure = steps.map(
      ({ from, to }) => `${JSON.stringify(phaseShape(from))} ${JSON.stringify(phaseShape(to))}`,
    );
    const row = { table: 'handler_runs', column: 'progress', id };
    const reachable = new Set(['{"phase":"pending"}', ...pure.map((pair) => pair.split(' ')[1])]);
    const allowed = allowedPairs(db, row, phaseShapes).filter((pair) =>
      reachable.has(pair.split(' ')[0]),
    );
    expect(mergeSuspended(allowed)).toEqual(mergeSuspended(pure));
    expect(mergeSuspended(pure).length).toBe(7);
  });

  it('[MU-8] of mutations', () => {
    const store = openStore();
    const call = { toolNamespace: 'http', toolMethod: 'post', params: {}, idempotencyKey: 'e' };
    const id = store.mutations.record({ handlerRunId: 'r', workflowId: 'w', epoch: 1 }, call);
    const events: MutationTransition[] = [
      { type: 'send' },
      { type: 'apply', result: 1 },
      { type: 'fail', error: 'x' },
      { type: 'doubt', error: 'x' },
      { type: 'reconcile_again', at: 1, nextAt: 2 },
      { type: 'give_up', error: 'x' },
      { type: 'resolve', as: 'user_assert_applied', at: 1, result: 1 },
      { type: 'resolve', as: 'user_assert_failed', at: 1 },
      { type: 'resolve', as: 'user_skip', at: 1 },
      { type: 'resolve', as: 'user_retry', at: 1, canReconcile: true },
      { type: 'resolve', as: 'user_retry', at: 1, canReconcile: false },
    ];
    const shapeOf = (status: string | undefined, by?: string): object => ({
      ...(status ? { status } : {}),
      ...(by ? { resolved_by: by } : {}),
    });
    const shape = (state: MutationState): object =>
      shapeOf(state.status, 'resolved' in state ? state.resolved?.by : undefined);
    const steps = walk<MutationState, MutationTransition>(
      { status: 'pending' },
      events,
      transitionMutation,
      (state) => JSON.stringify(shape(state)),
    );
    // The triggers check `resolved_by` only when a person resolves an open indeterminate.
    const mergeResolved = (pairs: string[]): string[] =>
      unique(
        pairs.map((pair) => {
          const [from, to] = pair.split(' ') as [string, string];
          return from === '{"status":"indeterminate"}'
            ? pair
            : `${from} ${JSON.stringify({ status: (JSON.parse(to) as { status?: string }).status })}`;
        }),
      );
    const pure = steps.map(
      ({ from, to }) => `${JSON.stringify(shape(from))} ${JSON.stringify(shape(to))}`,
    );
    const shapes = [
      ...[...MUTATION_STATUSES, 'nonsense', undefined].map((status) => shapeOf(status)),
      ...[...MUTATION_STATUSES, 'nonsense'].flatMap((status) =>
        RESOLUTIONS.map((by) => shapeOf(status, by)),
      ),
    ];
    const reachable = new Set(['{"status":"pending"}', ...pure.map((pair) => pair.split(' ')[1])]);
    for (const column of ['outcome', 'recovered', 'takeover']) {
      // What the maker knows doesn't hide the column that is tried.
      force(store.db, 'mutations', 'outcome', id, { status: 'in_flight' });
      const row = { table: 'mutations', column, id };
      const allowed = allowedPairs(store.db, row, shapes).filter((pair) =>
        reachable.has(pair.split(' ')[0]),
      );
      expect([column, mergeResolved(allowed)]).toEqual([column, mergeResolved(pure)]);
    }
  });
});
