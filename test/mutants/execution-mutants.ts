// Mutants of the tables of spec 002: indexes, UNIQUE rules, the count of a session, the sleep of consumers.
import type { Mutant } from '#test/mutants/mutant.ts';

const INDEXES = 'migrations/0033_indexes_of_every_row.sql';
const UNIQUE = 'migrations/0035_unique_values.sql';
const TOPICS = 'src-main/store/tables/topics.ts';
const EVENTS = 'src-main/store/tables/events.ts';
const STATES = 'src-main/store/tables/handler-state.ts';
const RUNS = 'src-main/store/tables/handler-runs.ts';
const SESSIONS = 'src-main/store/tables/active-sessions.ts';
const WAKES = 'src-main/store/tables/consumer-wakes.ts';
const PICK_WORK = 'src-main/engine/lane/pick-work.ts';
const LANE = 'src-main/engine/lane/lane.ts';
const AFTER_MERGE = 'src-main/engine/ownership/after-merge.ts';

const ofLocalWrites = (table: string): { readonly find: string; readonly replace: string } => {
  const head = `CREATE TRIGGER ${table}_unique AFTER INSERT ON ${table}\nWHEN crsql_internal_sync_bit() =`;
  return { find: `${head} 0 AND`, replace: `${head} 0 AND 0 AND` };
};

export const EXECUTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'the index of events by workflow is partial',
    file: INDEXES,
    find: 'CREATE INDEX idx_events_workflow ON events (workflow_id);',
    replace:
      'CREATE INDEX idx_events_workflow ON events (workflow_id) WHERE skip_reason IS NOT NULL;',
  },
  {
    name: 'the index of effects by workflow is missing',
    file: INDEXES,
    find: 'CREATE INDEX idx_mutations_workflow ON mutations (workflow_id);',
    replace: '',
  },
  {
    name: 'the index of effects by status is missing',
    file: INDEXES,
    find: 'CREATE INDEX idx_mutations_status ON mutations (status);',
    replace: '',
  },
  {
    name: 'the index of runs by phase begins with the id',
    file: INDEXES,
    find: 'ON handler_runs (phase, id);',
    replace: 'ON handler_runs (id, phase);',
  },
  ...['topics', 'events', 'mutations', 'handler_state'].map((table) => ({
    name: `a raw write of ${table} may repeat the values of another row`,
    file: UNIQUE,
    ...ofLocalWrites(table),
  })),
  {
    name: 'the merge of a second topic of the same name is refused',
    file: UNIQUE,
    find: 'AFTER INSERT ON topics\nWHEN crsql_internal_sync_bit() = 0 AND EXISTS (',
    replace: 'AFTER INSERT ON topics\nWHEN EXISTS (',
  },
  {
    name: 'a merged topic under another id stops ours',
    file: TOPICS,
    find: "'DELETE FROM topics WHERE workflow_id = ? AND name = ? AND id <> ?'",
    replace: "'DELETE FROM topics WHERE workflow_id = ? AND name = ? AND id = ?'",
  },
  {
    name: 'a merged state under another id stops ours',
    file: STATES,
    find: 'if (!isKnown) {',
    replace: 'if (isKnown) {',
  },
  {
    name: 'a merged message under another id stops a publish',
    file: EVENTS,
    find: 'if (known === undefined || !isNotUnique(error)) throw error;',
    replace: 'if (known === undefined || isNotUnique(error)) throw error;',
  },
  {
    name: 'a session does not count its runs before it ends',
    file: RUNS,
    find: '      this.#countInSession(run.scriptRunId);\n',
    replace: '',
  },
  {
    name: 'a session forgets its archived runs when it ends',
    file: SESSIONS,
    find: 'WHERE id = ? AND handler_run_count < n',
    replace: 'WHERE id = ? AND handler_run_count <> n',
  },
  {
    name: 'a session that ends leaves runs uncounted',
    file: SESSIONS,
    find: 'WHERE id = ? AND handler_run_count < n',
    replace: 'WHERE id = ? AND handler_run_count > n',
  },
  {
    name: 'the time that a consumer asks for does not reach consumer_sleep_until',
    file: WAKES,
    find: 'if (wake.wakeAt !== wakeAt) this.deriveSleep(workflowId);',
    replace: '',
  },
  {
    name: 'consumer_sleep_until stays when the consumer was tried',
    file: WAKES,
    find: 'if (wake.wakeAt !== null) this.deriveSleep(workflowId);',
    replace: '',
  },
  {
    name: 'consumer_sleep_until is the latest time',
    file: WAKES,
    find: 'SELECT min(wake_at)',
    replace: 'SELECT max(wake_at)',
  },
  {
    name: 'the lane ignores consumer_sleep_until',
    file: PICK_WORK,
    find: 'const isTimeUp = sleepUntil !== null && until === null;',
    replace: 'const isTimeUp = true;',
  },
  {
    name: 'the lane sets no timer for consumer_sleep_until',
    file: PICK_WORK,
    find: '  const isTimeUp = sleepUntil !== null && until === null;\n',
    replace: '  const isTimeUp = sleepUntil !== null && until === null;\n  until = null;\n',
  },
  {
    name: 'consumer_sleep_until is not derived when a workflow starts',
    file: LANE,
    find: '    consumerWakes.deriveSleep(this.workflowId);\n',
    replace: '',
  },
  {
    name: 'a new owner forgets consumer_sleep_until',
    file: AFTER_MERGE,
    find: '  context.stores.consumerWakes.inheritSleep(workflowId);\n',
    replace: '',
  },
];
