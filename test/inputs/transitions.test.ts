// Every transition by every actor from every status, each tried twice.
import { describe, expect, it } from 'vitest';
import { createSilentLog } from '#main/host/log.ts';
import { InputLifecycle } from '#main/input-lifecycle/input-lifecycle.ts';
import {
  ACTORS,
  AUTOMATION_RUN_STATUSES,
  isRepeat,
  mayMove,
  transitionAutomationRun,
  type Actor,
  type AutomationRunState,
  type AutomationRunStatus,
  type AutomationRunTransition,
} from '#shared/machines/automation-run.ts';
import { isRejection } from '#shared/rejection.ts';
import { addWorkflow, openStore, type OpenStore } from '#test/support/open-store.ts';

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

const INPUT = {
  kind: 'webhook',
  triggerId: 'hook',
  source: 's',
  type: 't',
  externalId: 'e',
  title: 'T',
  topic: null,
  redactPaths: [],
  bytes: 1,
  sha256: '',
} as const;

function openRuns(store: OpenStore): { runs: InputLifecycle; runId(key: string): string } {
  const runs = new InputLifecycle({ stores: store, store: store.context, log: createSilentLog() });
  const workflowId = addWorkflow(store);
  const runId = (dedupKey: string): string =>
    store.db.write(() => runs.register({ ...INPUT, workflowId, dedupKey }, null)).runId;
  return { runs, runId };
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
          const before = store.automationRuns.get(id)?.state as AutomationRunState;
          expect(before.status).toBe(status);
          const rows = eventRows(store, id).length;
          const expected = transitionAutomationRun(before, event);
          const may = mayMove(actor, event);
          const first = runs.move(id, { actor, event });
          const after = store.automationRuns.get(id)?.state;
          if (!may) expect(first.type).toBe('rejected');
          else if (isRepeat(before, event)) expect(first.type).toBe('repeated');
          else expect(first.type).toBe(isRejection(expected) ? 'rejected' : 'moved');

          if (first.type === 'moved') {
            moved += 1;
            expect(after).toEqual(expected);
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
    expect(runs.stop(store.automationRuns.get(id)?.inputId ?? '', 'skipped', '')).toBeNull();
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

describe('leases', () => {
  it('[LE-1] a lease has one holder, and its version increases with every claim', () => {
    const store = openStore();
    const first = store.automationLeases.claim('r', 'w1');
    expect(first?.version).toBe(1);
    expect(store.automationLeases.claim('r', 'w2')).toBeNull();
    expect(store.automationLeases.claim('r', 'w1')).toBeNull();
    store.automationLeases.release(first as NonNullable<typeof first>);
    expect(store.automationLeases.claim('r', 'w2')?.version).toBe(2);
  });

  it("[LE-2] a stage whose lease expired can't move the run, before or after another stage claims it", async () => {
    const store = openStore();
    const { runs, runId } = openRuns(store);
    const id = runId('k');
    const lease = store.automationLeases.claim(id, 'w1');
    if (!lease) throw new Error('not claimed');
    const enrich = { actor: 'stage', event: { type: 'enrich' }, lease } as const;
    await store.clock.advance(5 * 60_000);
    expect(runs.move(id, enrich).type).toBe('fenced');
    const taken = store.automationLeases.claim(id, 'w2');
    expect(taken?.version).toBe(2);
    expect(runs.move(id, enrich).type).toBe('fenced');
    store.automationLeases.release(lease);
    expect(store.automationLeases.holds(taken as NonNullable<typeof taken>)).toBe(true);
    expect(store.automationRuns.get(id)?.state.status).toBe('queued');
    expect(runs.move(id, { ...enrich, lease: taken as NonNullable<typeof taken> }).type).toBe(
      'moved',
    );
  });

  it('[LE-3] endAll ends every lease, and versions are not reused', () => {
    const store = openStore();
    const lease = store.automationLeases.claim('r', 'w1');
    if (!lease) throw new Error('not claimed');
    store.automationLeases.endAll();
    expect(store.automationLeases.holds(lease)).toBe(false);
    expect(store.automationLeases.claim('r', 'w2')?.version).toBe(2);
  });

  it('[LE-4] a rollback undoes the claim of a stage and its first move', () => {
    const store = openStore();
    const { runs, runId } = openRuns(store);
    const id = runId('k');
    expect(() =>
      store.db.write(() => {
        const lease = store.automationLeases.claim(id, 'w1');
        if (!lease) throw new Error('not claimed');
        runs.move(id, { actor: 'stage', event: { type: 'enrich' }, lease });
        throw new Error('power cut');
      }),
    ).toThrow('power cut');
    expect(store.automationRuns.get(id)?.state.status).toBe('queued');
    expect(store.automationLeases.claim(id, 'w2')?.version).toBe(1);
  });
});
