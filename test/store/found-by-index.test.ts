// Frequent queries use an index instead of scanning the history.
import { describe, expect, it } from 'vitest';
import { openEffects } from '#main/store/queries/queue-depths.ts';
import { SEARCH_WINDOW } from '#shared/limits.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';

/** The query plan of every statement that `ask` runs, one line per table. */
function plansOf({ db }: OpenStore, ask: () => unknown): string[] {
  const asked = new Set<string>();
  const { prepare, value, values } = db;
  db.prepare = (sql) => {
    asked.add(sql);
    return prepare.call(db, sql);
  };
  db.value = <Value>(sql: string, ...params: unknown[]): Value | undefined => {
    asked.add(sql);
    return value.call(db, sql, ...params) as Value | undefined;
  };
  db.values = <Value>(sql: string, ...params: unknown[]): Value[] => {
    asked.add(sql);
    return values.call(db, sql, ...params) as Value[];
  };
  ask();
  Object.assign(db, { prepare, value, values });
  return [...asked].flatMap((sql) => {
    const params = Array.from(sql.matchAll(/\?/g), () => 'x');
    return db
      .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...params)
      .map(({ detail }) => detail)
      .filter((detail) => /^(SCAN|SEARCH) (?!\()/.test(detail));
  });
}

it('[IG-8] a search of inputs reads a window of rows, and the next page goes on from there', () => {
  const store = openStore();
  const rows = SEARCH_WINDOW + 10;
  store.db.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
     INSERT INTO automation_runs (id, facts, progress)
     SELECT 'run-' || i, json_object('automation_id', 'w', 'trigger_event_id', 'input-' || i,
         'organization_id', 'space-1', 'trigger_id', 't', 'kind', 'manual', 'source', 'person',
         'queued_at', i, 'deadline_at', i),
       json_object('status', 'queued', 'moves', 0, 'last_activity_at', i) FROM n`,
  );
  let read = 0;
  const { prepare } = store.db;
  store.db.prepare = (sql) => {
    const statement = prepare.call(store.db, sql);
    const iterate = statement.iterate.bind(statement);
    statement.iterate = function* (...params: unknown[]) {
      for (const row of iterate(...params)) {
        read += 1;
        yield row;
      }
    } as typeof iterate;
    return statement;
  };
  const first = store.automationRuns.list({ text: 'nothing', limit: 5 });
  expect([first.runs, read]).toEqual([[], SEARCH_WINDOW]);
  expect(first.next).not.toBeNull();
  read = 0;
  const rest = store.automationRuns.list({ text: 'nothing', limit: 5, after: first.next ?? '' });
  expect([rest, read]).toEqual([{ runs: [], next: null }, 10]);
});

describe('query plans', () => {
  it('[DB-9] effects are read by status from an index', () => {
    const store = openStore();
    const plans = (['pending', 'needs_reconcile', 'indeterminate'] as const).flatMap((status) =>
      plansOf(store, () => store.mutations.byStatus(status)),
    );
    expect(plans).toHaveLength(3);
    for (const plan of plans) expect(plan).toContain('idx_mutations_status');
  });

  it('[DB-9] open effects are counted from an index', () => {
    const store = openStore();
    const plans = plansOf(store, () => openEffects({ db: store.db, clock: store.clock }));
    expect(plans).toEqual(['SEARCH mutations USING INDEX idx_mutations_status (status=?)']);
  });

  it('[DB-9] events that were set aside or are reserved by a run are read from indexes', () => {
    const store = openStore();
    expect(plansOf(store, () => store.events.setAside())).toEqual([
      'SEARCH events USING INDEX idx_events_set_aside (skip_reason=?)',
    ]);
    expect(plansOf(store, () => store.workflowActivity.topicCounts('w', 't', 10)).at(-1)).toContain(
      'idx_events_set_aside (skip_reason=? AND workflow_id=?)',
    );
    expect(plansOf(store, () => store.events.reservedBy('run-1'))).toEqual([
      'SEARCH events USING INDEX sqlite_autoindex_events_1 (id=?)',
      'SEARCH reservations USING INDEX idx_reservations_run (handler_run_id=?)',
    ]);
  });

  it('[DB-9] runs by state are read from the indexes of open runs and of phases', () => {
    const store = openStore();
    const inState = (state: 'active' | 'waiting' | 'failed' | 'done'): string[] =>
      plansOf(store, () => store.handlerRuns.list({ state, limit: 10 }))
        .filter((plan) => !plan.includes('idx_handler_runs_search'))
        .map((plan) => /INDEX (\w+)/.exec(plan)?.[1] ?? plan);
    expect(inState('active')).toEqual(['idx_handler_runs_open']);
    expect(inState('waiting')).toEqual(['idx_handler_runs_phase']);
    expect(inState('failed')).toEqual(['idx_handler_runs_phase']);
    expect(inState('done')).toEqual(['idx_handler_runs_open', 'idx_handler_runs_phase']);
  });

  it('[CO-9] the costs of a workflow are read by key', () => {
    const store = openStore();
    expect(plansOf(store, () => store.workflowCosts.of('w'))).toEqual([
      'SEARCH workflow_costs USING PRIMARY KEY (workflow_id=? AND quarter>?)',
      'SEARCH workflow_costs USING PRIMARY KEY (workflow_id=? AND quarter=?)',
    ]);
  });

  it('[CO-10] the cost of an input is read from the indexes of its events and runs', () => {
    const store = openStore();
    const plans = plansOf(store, () => store.inputChain.cost('i'));
    expect(plans.filter((plan) => plan.startsWith('SCAN'))).toEqual([]);
    expect(plans).toContain('SEARCH handler_runs USING INDEX idx_handler_runs_cost (caused_by=?)');
  });
  const BY_INDEX: { readonly [index: string]: (store: OpenStore) => unknown } = {
    idx_automation_runs_open: ({ automationRuns }) => automationRuns.openAfter(null, 1),
    idx_events_caused_by: ({ inputChain }) => inputChain.pending('i'),
    idx_events_created_by: ({ events }) => events.createdBy('r'),
    idx_handler_runs_retry_of: ({ handlerRuns }) => handlerRuns.retriedBy('r'),
    idx_incidents_open: ({ incidents }) => incidents.open(),
    idx_intents_waiting: ({ intents }) => intents.waiting('w'),
    idx_outbox_due: ({ outbox }) => outbox.nextAt(),
    idx_outbox_open: ({ outbox }) => outbox.due(1),
    idx_ownership_claims_to: ({ ownership }) => ownership.offered(),
    idx_resolutions_waiting: ({ resolutions }) => resolutions.waiting('w'),
    idx_runner_jobs_key: ({ runnerJobs }) => runnerJobs.ofKey('me', 'key'),
    idx_runner_jobs_logs: ({ runnerJobs }) => runnerJobs.logTotal(),
    idx_script_runs_active: ({ scriptRuns }) => scriptRuns.activeIn('w', 'main'),
  };

  it.each(Object.entries(BY_INDEX))(
    '[DB-9] %s is used by the query that it is for',
    (index, ask) => {
      const store = openStore();
      expect(plansOf(store, () => ask(store)).join('; ')).toMatch(
        new RegExp(`INDEX ${index}(?![a-z_])`),
      );
    },
  );
});
