// Mutants of run contexts and the run log (specs 000 and 001).
import type { Mutant } from '#test/mutants/mutant.ts';

const GUARD = 'migrations/0032_run_guard.sql';
const CONTEXTS = 'src-main/store/tables/active-sessions.ts';
const LOG = 'src-main/store/tables/run-log.ts';
const SESSIONS = 'src-shared/machines/script-run.ts';
const ENUMS = 'src-shared/session-enums.ts';

export const RUN_MUTANTS: readonly Mutant[] = [
  {
    name: 'the guard allows a second active run',
    file: GUARD,
    find: 'CREATE UNIQUE INDEX idx_run_guard_active',
    replace: 'CREATE INDEX idx_run_guard_active',
  },
  {
    name: 'the guard allows a terminal event twice',
    file: GUARD,
    find: 'CREATE UNIQUE INDEX idx_run_guard_terminal',
    replace: 'CREATE INDEX idx_run_guard_terminal',
  },
  {
    name: 'the guard forgets the validating status',
    file: GUARD,
    find: "ON run_guard (workflow_id, lane)\n  WHERE status IN ('booting', 'running', 'validating');",
    replace: "ON run_guard (workflow_id, lane)\n  WHERE status IN ('booting', 'running');",
  },
  {
    name: 'a session ended by its new owner keeps its lane',
    file: GUARD,
    find: "WHEN crsql_internal_sync_bit() = 0\n  OR NEW.status IN ('completed', 'failed', 'suspended', 'canceled', 'timed_out')",
    replace: 'WHEN crsql_internal_sync_bit() = 0',
  },
  {
    name: 'sessions of other devices enter the guard',
    file: GUARD,
    find: 'CREATE TRIGGER script_runs_guard_start AFTER INSERT ON script_runs\nWHEN crsql_internal_sync_bit() = 0',
    replace: 'CREATE TRIGGER script_runs_guard_start AFTER INSERT ON script_runs',
  },
  {
    name: 'the guard keeps archived sessions',
    file: GUARD,
    find: 'DELETE FROM run_guard WHERE run_id = OLD.id AND terminal_event_id IS NOT NULL;',
    replace: '',
  },
  {
    name: 'the migration leaves running sessions unguarded',
    file: GUARD,
    find: 'AND workflow_id IS NOT NULL AND lane IS NOT NULL AND status IS NOT NULL',
    replace: "AND status = 'failed'",
  },
  {
    name: 'a start sleeps after its last attempt',
    file: CONTEXTS,
    find: ' || attempt === CAS_MAX_ATTEMPTS - 1) return result;',
    replace: ') return result;',
  },
  {
    name: 'the backoff of a start does not grow',
    file: CONTEXTS,
    find: 'CAS_BASE_DELAY_MS * 2 ** attempt',
    replace: 'CAS_BASE_DELAY_MS * 2',
  },
  {
    name: 'the backoff of a start has no jitter',
    file: CONTEXTS,
    find: '(1 + this.#random())',
    replace: '1',
  },
  {
    name: 'a start ignores the version of the pointer',
    file: CONTEXTS,
    find: 'if (!this.#swap(request, expectedVersion, id)) return versionConflict(request);',
    replace: 'this.#swap(request, expectedVersion, id);',
  },
  {
    name: 'the refused start is thrown instead of reported',
    file: CONTEXTS,
    find: "error.message.includes('run_guard.workflow_id')",
    replace: "error.message.includes('run_guard.run_id')",
  },
  {
    name: 'a stale number is accepted',
    file: CONTEXTS,
    find: 'AND last_accepted_seq < ?`',
    replace: 'AND last_accepted_seq <= ?`',
  },
  {
    name: 'a number of another sandbox is accepted',
    file: CONTEXTS,
    find: 'if (!run || run.flags.daemonRunIdStrict) return false;',
    replace: 'if (!run) return false;',
  },
  {
    name: 'a sandbox is refused although its session is not strict',
    file: CONTEXTS,
    find: 'if (!run || run.flags.daemonRunIdStrict) return false;',
    replace: 'if (run !== undefined) return false;',
  },
  {
    name: 'a number of another sandbox is not logged',
    file: CONTEXTS,
    find: "this.#log(run, 'run.foreign_sandbox', { sandboxId, boundTo }, sandboxId);",
    replace: '',
  },
  {
    name: 'a changed file is checked without a session',
    file: 'src-main/authoring/validation-session.ts',
    find: 'runContexts.validateRun(run.id);',
    replace: '',
  },
  {
    name: 'a check that a crash cut off counts as completed',
    file: 'src-main/engine/runs/session.ts',
    find: "const status = isCheck ? 'canceled' : endOfSession(runs);",
    replace: 'const status = endOfSession(runs);',
  },
  {
    name: 'an activated version has no validation in the main lane',
    file: 'src-main/engine/decisions/commands.ts',
    find: "{ workflowId, lane: 'main', scriptId, problems: [] },",
    replace: "{ workflowId, lane: 'draft', scriptId, problems: [] },",
  },
  {
    name: 'a new run keeps the last accepted number',
    file: CONTEXTS,
    find: 'sandbox_id = NULL, last_accepted_seq = 0,',
    replace: 'sandbox_id = NULL,',
  },
  {
    name: 'a repeated terminal event is not a duplicate',
    file: CONTEXTS,
    find: 'run.state.terminalEventId === end.terminalEventId',
    replace: 'run.state.terminalEventId !== end.terminalEventId',
  },
  {
    name: 'the pointer keeps an ended run',
    file: CONTEXTS,
    find: 'SET active_run_id = NULL, sandbox_id = NULL, version',
    replace: 'SET sandbox_id = NULL, version',
  },
  {
    name: 'a session is validated from booting',
    file: SESSIONS,
    find: "if (state.status === 'running') return { status: 'validating'",
    replace: "if ('sandboxId' in state) return { status: 'validating'",
  },
  {
    name: 'validating does not count as active',
    file: ENUMS,
    find: "['booting', 'running', 'validating']",
    replace: "['booting', 'running']",
  },
  {
    name: 'a new authority continues the term of the former',
    file: LOG,
    find: 'AND (device <> @device OR EXISTS (',
    replace: 'AND (EXISTS (',
  },
  {
    name: 'an append after a fork stays in its term',
    file: LOG,
    find: 'WHERE run_id = @runId AND term = seq >> 41',
    replace: 'WHERE run_id = @runId AND term = -1',
  },
  {
    name: 'readers of a forked log see one number twice',
    file: LOG,
    find: 'run_seq + (place << 31) AS seq',
    replace: 'run_seq AS seq',
  },
  {
    name: 'the order of a fork depends on the device that reads',
    file: LOG,
    find: "ORDER BY coalesce(device_id, ''), idempotency_key)",
    replace: 'ORDER BY rowid)',
  },
  {
    name: 'forks are not noticed at the merge',
    file: GUARD,
    find: 'CREATE TRIGGER run_events_fork AFTER INSERT ON run_events\nWHEN crsql_internal_sync_bit() = 1',
    replace:
      'CREATE TRIGGER run_events_fork AFTER INSERT ON run_events\nWHEN crsql_internal_sync_bit() = 2',
  },
  {
    name: 'a record with an impossible number is shown',
    file: LOG,
    find: 'BETWEEN 1 AND ${2 ** 31 - 1}`',
    replace: 'BETWEEN 0 AND ${2 ** 32}`',
  },
  {
    name: 'persistedAt goes back with the clock',
    file: LOG,
    find: '|| \',"persisted_at":"\' || max(@now, coalesce((',
    replace: '|| \',"persisted_at":"\' || min(@now, coalesce((',
  },
  {
    name: 'a page starts with the record that the last one ended with',
    file: LOG,
    find: 'WHERE run_id = ? AND run_seq > ? AND',
    replace: 'WHERE run_id = ? AND run_seq >= ? AND',
  },
  {
    name: 'a page of a forked log starts with the record that the last one ended with',
    file: LOG,
    find: 'WHERE place < 1024 AND seq > ?',
    replace: 'WHERE place < 1024 AND seq >= ?',
  },
  {
    name: 'a known key is appended again',
    file: LOG,
    find: 'return { eventId, runSeq, persistedAt, idempotent: true, persisted: false };',
    replace: 'return { eventId, runSeq, persistedAt, idempotent: false, persisted: true };',
  },
];
