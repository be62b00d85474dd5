// Every transition by every actor from every status, each tried twice.
import { describe, expect, it } from 'vitest';
import type { InputLifecycle } from '#main/input-lifecycle/input-lifecycle.ts';
import {
  ACTORS,
  AUTOMATION_RUN_STATUSES,
  type Actor,
  type AutomationRunStatus,
  type AutomationRunTransition,
} from '#shared/machines/automation-run.ts';
import { addWorkflow, openStore, type OpenStore } from '#test/support/open-store.ts';
import { createLifecycle, registerInput } from '#test/support/register-inputs.ts';

const EVENTS: readonly AutomationRunTransition[] = [
  { type: 'enrich' },
  { type: 'enriched' },
  { type: 'execute' },
  { type: 'need_human', reason: 'unknown' },
  { type: 'go_on' },
  { type: 'complete', completionId: 'c1' },
  { type: 'fail', stage: 'execute', reason: 'boom' },
  { type: 'time_out', stage: 'finalize', reason: 'late' },
  { type: 'cancel', reason: 'asked' },
  { type: 'skip', reason: 'asked' },
  { type: 'settle', as: 'succeeded', reason: 'seen', completionId: 'c2' },
  { type: 'settle', as: 'failed', reason: 'seen', completionId: 'c3' },
];

const UNFINISHED = ['queued', 'enriching', 'ready', 'running', 'needs_human'] as const;
const SETTLEABLE = ['failed', 'timed_out', 'needs_human'] as const;

interface Allowed {
  readonly from: readonly AutomationRunStatus[];
  readonly to: AutomationRunStatus;
  readonly by: readonly Actor[];
  /** In this status, on the way of `WAY`, the transition was made before. */
  readonly repeats: AutomationRunStatus | null;
}

/** Written by hand from spec 004 and ARCHITECTURE.md: which transition is allowed, and whose it is. */
const ALLOWED: readonly Allowed[] = [
  { from: ['queued'], to: 'enriching', by: ['stage'], repeats: 'enriching' },
  { from: ['enriching'], to: 'ready', by: ['stage'], repeats: 'ready' },
  { from: ['ready'], to: 'running', by: ['stage'], repeats: 'running' },
  { from: ['running'], to: 'needs_human', by: ['engine'], repeats: 'needs_human' },
  { from: ['needs_human'], to: 'running', by: ['engine'], repeats: 'running' },
  { from: ['running'], to: 'succeeded', by: ['engine'], repeats: 'succeeded' },
  { from: UNFINISHED, to: 'failed', by: ['stage', 'engine', 'finalizer'], repeats: 'failed' },
  { from: UNFINISHED, to: 'timed_out', by: ['finalizer'], repeats: 'timed_out' },
  { from: UNFINISHED, to: 'canceled', by: ['finalizer', 'person'], repeats: 'canceled' },
  { from: UNFINISHED, to: 'skipped', by: ['engine', 'finalizer', 'person'], repeats: 'skipped' },
  { from: SETTLEABLE, to: 'succeeded', by: ['person'], repeats: null },
  { from: SETTLEABLE, to: 'failed', by: ['person'], repeats: null },
];

/** The steps that lead to each status, with their actors. */
const WAY: {
  readonly [status in AutomationRunStatus]: readonly [Actor, AutomationRunTransition][];
} = (() => {
  const step = (actor: Actor, type: string): [Actor, AutomationRunTransition] => [
    actor,
    EVENTS.find((event) => event.type === type) as AutomationRunTransition,
  ];
  const enriching = [step('stage', 'enrich')];
  const ready = [...enriching, step('stage', 'enriched')];
  const running = [...ready, step('stage', 'execute')];
  return {
    queued: [],
    enriching,
    ready,
    running,
    needs_human: [...running, step('engine', 'need_human')],
    succeeded: [...running, step('engine', 'complete')],
    failed: [...running, step('engine', 'fail')],
    timed_out: [...running, step('finalizer', 'time_out')],
    canceled: [...running, step('person', 'cancel')],
    skipped: [...running, step('person', 'skip')],
  };
})();

function openRuns(store: OpenStore): { runs: InputLifecycle; runId(key: string): string } {
  const runs = createLifecycle(store);
  const workflowId = addWorkflow(store);
  return { runs, runId: (dedupKey) => registerInput(store, runs, workflowId, dedupKey) };
}

const eventRows = (store: OpenStore, runId: string): { from_status: string; to_status: string }[] =>
  store.db.all(
    'SELECT from_status, to_status FROM automation_run_events WHERE run_id = ? ORDER BY seq',
    runId,
  );

describe('InputLifecycle', () => {
  it.each(AUTOMATION_RUN_STATUSES)(
    '[AR-3] from %s, move allows only legal transitions by allowed actors, logs each once, and treats repeats as no-ops',
    (status) => {
      const store = openStore();
      const { runs, runId } = openRuns(store);
      let moved = 0;
      for (const [index, event] of EVENTS.entries()) {
        for (const actor of ACTORS) {
          const id = runId(`${index} ${actor}`);
          for (const [who, step] of WAY[status]) runs.move(id, { actor: who, event: step });
          const before = store.automationRuns.get(id)?.state;
          expect(before?.status).toBe(status);
          const rows = eventRows(store, id).length;
          const { from, to, by, repeats } = ALLOWED[index] as Allowed;
          const isLegal = (from as readonly string[]).includes(status);
          const first = runs.move(id, { actor, event });
          const after = store.automationRuns.get(id)?.state;
          if (!by.includes(actor)) expect(first.type).toBe('rejected');
          else if (status === repeats) expect(first.type).toBe('repeated');
          else expect(first.type).toBe(isLegal ? 'moved' : 'rejected');

          if (first.type === 'moved') {
            moved += 1;
            expect(after?.status).toBe(to);
            expect(eventRows(store, id)).toHaveLength(rows + 1);
            expect(eventRows(store, id).at(-1)).toEqual({
              from_status: status,
              to_status: after?.status,
            });
          } else {
            expect(after).toEqual(before);
            expect(eventRows(store, id)).toHaveLength(rows);
          }
          // A repeated move changes nothing and appends no second row.
          const second = runs.move(id, { actor, event });
          expect(second.type).toBe(first.type === 'moved' ? 'repeated' : first.type);
          expect(store.automationRuns.get(id)?.state).toEqual(after);
          expect(eventRows(store, id)).toHaveLength(rows + (first.type === 'moved' ? 1 : 0));
        }
      }
      const isFinal = ['succeeded', 'canceled', 'skipped'].includes(status);
      if (isFinal) expect(moved).toBe(0);
      else expect(moved).toBeGreaterThan(0);
    },
  );

  it('[AR-3] the same end for another reason is no repetition: another stage, another completion, another statement', () => {
    const store = openStore();
    const { runs, runId } = openRuns(store);
    const end = (status: AutomationRunStatus, actor: Actor, event: AutomationRunTransition) => {
      const id = runId(`${status} ${JSON.stringify(event)}`);
      for (const [who, step] of WAY[status]) runs.move(id, { actor: who, event: step });
      return runs.move(id, { actor, event }).type;
    };
    expect(end('failed', 'stage', { type: 'fail', stage: 'enrich', reason: 'x' })).toBe('rejected');
    expect(end('timed_out', 'finalizer', { type: 'time_out', stage: 'enrich', reason: 'x' })).toBe(
      'rejected',
    );
    expect(end('succeeded', 'engine', { type: 'complete', completionId: 'c9' })).toBe('rejected');
    const settled = runId('settled');
    for (const [who, step] of WAY['failed']) runs.move(settled, { actor: who, event: step });
    const settle = (reason: string) =>
      runs.move(settled, {
        actor: 'person',
        event: { type: 'settle', as: 'failed', reason, completionId: 'c' },
      }).type;
    expect([settle('seen'), settle('seen'), settle('not seen')]).toEqual([
      'moved',
      'repeated',
      'rejected',
    ]);
    // What a person has settled is not the failure of before.
    expect(
      runs.move(settled, { actor: 'engine', event: EVENTS[6] as AutomationRunTransition }).type,
    ).toBe('rejected');
  });

  it('[AR-3] moving an unknown run returns not_found', () => {
    const store = openStore();
    const { runs } = openRuns(store);
    expect(runs.move('nowhere', { actor: 'stage', event: { type: 'enrich' } }).type).toBe(
      'not_found',
    );
  });

  it("[AR-10] a device that doesn't own the workflow can't move or stop its runs", () => {
    const store = openStore();
    const { runs, runId } = openRuns(store);
    const id = runId('k');
    store.ownership.release('workflow-1', 'device-b');
    for (const event of EVENTS) {
      for (const actor of ACTORS) expect(runs.move(id, { actor, event }).type).toBe('not_owner');
    }
    expect(store.automationRuns.get(id)?.state.status).toBe('queued');
    expect(
      runs.stop(store.automationRuns.get(id)?.inputId ?? '', { as: 'skipped', reason: '' }),
    ).toBeNull();
  });

  it('[IG-2] registering the same input twice leaves one input, one run and one outbox row', () => {
    const store = openStore();
    const { runId } = openRuns(store);
    expect(runId('k')).toBe(runId('k'));
    expect(store.db.value('SELECT count(*) FROM trigger_events')).toBe(1);
    expect(store.db.value('SELECT count(*) FROM automation_runs')).toBe(1);
    expect(store.outbox.depth()).toBe(1);
  });
});
