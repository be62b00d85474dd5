-- The same rules as in 0006, 0007 and 0025, as AFTER triggers: a refused write is still rolled back.
-- With a BEFORE trigger SQLite computes every generated column twice; with an AFTER trigger once.
DROP TRIGGER events_legal;
CREATE TRIGGER events_legal AFTER UPDATE OF progress ON events
WHEN crsql_internal_sync_bit() = 0 AND instr(
  '|pending>reserved|pending>skipped'
    || '|reserved>pending|reserved>consumed|reserved>skipped'
    || '|consumed>pending|skipped>pending|',
  '|' || coalesce(OLD.status, '') || '>' || coalesce(NEW.status, '') || '|') = 0
BEGIN SELECT RAISE(ABORT, 'illegal transition: events ' || coalesce(OLD.status, 'nothing') || ' -> ' || coalesce(NEW.status, 'nothing')); END;

DROP TRIGGER handler_runs_start;
CREATE TRIGGER handler_runs_start AFTER INSERT ON handler_runs
WHEN crsql_internal_sync_bit() = 0 AND NEW.phase IS NOT 'pending'
  AND NOT (NEW.handler_type IS 'producer' AND NEW.phase IS 'executing')
  AND NOT (NEW.handler_type IS 'consumer' AND NEW.phase IS 'preparing')
  AND NOT (NEW.handler_type IS 'consumer' AND NEW.phase IS 'prepared' AND NEW.prepare_result IS NOT NULL)
  AND NOT (NEW.handler_type IS 'consumer' AND NEW.phase IS 'emitting' AND NEW.retry_of IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'illegal transition: handler_runs starts as ' || coalesce(NEW.phase, 'nothing')); END;

DROP TRIGGER handler_runs_have_a_type;
CREATE TRIGGER handler_runs_have_a_type AFTER INSERT ON handler_runs
WHEN crsql_internal_sync_bit() = 0 AND coalesce(NEW.handler_type, '') NOT IN ('producer', 'consumer')
BEGIN SELECT RAISE(ABORT, 'handler_runs.handler_type is neither producer nor consumer'); END;

DROP TRIGGER handler_runs_one_writer;
CREATE TRIGGER handler_runs_one_writer AFTER UPDATE OF progress, takeover ON handler_runs
WHEN crsql_internal_sync_bit() = 0
  AND NEW.takeover IS NOT OLD.takeover AND NEW.progress IS NOT OLD.progress
BEGIN SELECT RAISE(ABORT, 'handler_runs: progress and takeover have two writers'); END;

DROP TRIGGER handler_runs_consumer_legal;
CREATE TRIGGER handler_runs_consumer_legal AFTER UPDATE OF progress, takeover ON handler_runs
WHEN crsql_internal_sync_bit() = 0 AND OLD.handler_type IS NOT 'producer'
  AND instr(
    '|pending>preparing|pending>failed'
      || '|preparing>prepared|preparing>suspended|preparing>failed'
      || '|prepared>mutating|prepared>emitting|prepared>suspended|prepared>failed'
      || '|mutating>mutated|mutating>suspended|mutating>failed'
      || '|mutated>emitting|mutated>suspended|mutated>failed'
      || '|emitting>committed|emitting>suspended|emitting>failed'
      || '|suspended>failed|',
    '|' || coalesce(iif(NEW.takeover IS OLD.takeover, OLD.progress ->> 'phase', OLD.phase), '')
      || '>' || coalesce(iif(NEW.takeover IS OLD.takeover, NEW.progress, NEW.takeover) ->> 'phase', '')
      || '|') = 0
  AND NOT (
    iif(NEW.takeover IS OLD.takeover, OLD.progress ->> 'phase', OLD.phase) IS 'suspended'
    AND coalesce(
      iif(NEW.takeover IS OLD.takeover, NEW.progress, NEW.takeover) ->> 'phase' IN (
        iif(NEW.takeover IS OLD.takeover, OLD.progress ->> 'resume_phase', OLD.resume_phase),
        iif(iif(NEW.takeover IS OLD.takeover, OLD.progress ->> 'resume_phase', OLD.resume_phase)
          IS 'mutating', 'mutated', NULL)),
      0))
BEGIN SELECT RAISE(ABORT, 'illegal transition: handler_runs ' || coalesce(OLD.phase, 'nothing') || ' -> ' || coalesce(iif(NEW.takeover IS OLD.takeover, NEW.progress, NEW.takeover) ->> 'phase', 'nothing')); END;

DROP TRIGGER handler_runs_producer_legal;
CREATE TRIGGER handler_runs_producer_legal AFTER UPDATE OF progress, takeover ON handler_runs
WHEN crsql_internal_sync_bit() = 0 AND OLD.handler_type IS 'producer'
  AND instr(
    '|pending>executing|pending>failed'
      || '|executing>committed|executing>suspended|executing>failed'
      || '|suspended>executing|suspended>failed|',
    '|' || coalesce(iif(NEW.takeover IS OLD.takeover, OLD.progress ->> 'phase', OLD.phase), '')
      || '>' || coalesce(iif(NEW.takeover IS OLD.takeover, NEW.progress, NEW.takeover) ->> 'phase', '')
      || '|') = 0
BEGIN SELECT RAISE(ABORT, 'illegal transition: handler_runs ' || coalesce(OLD.phase, 'nothing') || ' -> ' || coalesce(iif(NEW.takeover IS OLD.takeover, NEW.progress, NEW.takeover) ->> 'phase', 'nothing')); END;

DROP TRIGGER mutations_start;
CREATE TRIGGER mutations_start AFTER INSERT ON mutations
WHEN crsql_internal_sync_bit() = 0
  AND NOT (NEW.status IS 'pending' OR (NEW.status IS 'in_flight' AND NEW.call IS NOT NULL))
BEGIN SELECT RAISE(ABORT, 'illegal transition: mutations starts as ' || coalesce(NEW.status, 'nothing')); END;

DROP TRIGGER mutations_one_writer;
CREATE TRIGGER mutations_one_writer AFTER UPDATE OF outcome, takeover ON mutations
WHEN crsql_internal_sync_bit() = 0 AND NEW.takeover IS NOT OLD.takeover
  AND (NEW.outcome IS NOT OLD.outcome OR NEW.takeover IS NULL)
BEGIN SELECT RAISE(ABORT, 'mutations: outcome and takeover have two writers'); END;

DROP TRIGGER mutations_legal;
CREATE TRIGGER mutations_legal AFTER UPDATE OF outcome, takeover ON mutations
WHEN crsql_internal_sync_bit() = 0 AND (
  instr(
    '|pending>in_flight|pending>failed'
      || '|in_flight>applied|in_flight>failed|in_flight>needs_reconcile|in_flight>indeterminate'
      || '|needs_reconcile>needs_reconcile|needs_reconcile>applied'
      || '|needs_reconcile>failed|needs_reconcile>indeterminate|',
    '|' || coalesce(iif(NEW.takeover IS OLD.takeover, OLD.outcome ->> 'status', OLD.status), '')
      || '>' || coalesce(iif(NEW.takeover IS OLD.takeover, NEW.outcome, NEW.takeover) ->> 'status', '')
      || '|') = 0
  AND NOT (
    iif(NEW.takeover IS OLD.takeover, OLD.outcome ->> 'status', OLD.status) IS 'indeterminate'
    AND iif(NEW.takeover IS OLD.takeover, OLD.outcome ->> 'resolved_by', OLD.resolved_by) IS NULL
    AND instr(
      '|applied>user_assert_applied|failed>user_assert_failed|needs_reconcile>user_retry'
        || '|in_flight>user_retry|indeterminate>user_skip|',
      '|' || coalesce(iif(NEW.takeover IS OLD.takeover, NEW.outcome, NEW.takeover) ->> 'status', '')
        || '>' || coalesce(iif(NEW.takeover IS OLD.takeover, NEW.outcome, NEW.takeover) ->> 'resolved_by', '')
        || '|') > 0)
  OR (iif(NEW.takeover IS OLD.takeover, NEW.outcome, NEW.takeover) ->> 'status' IS 'in_flight'
    AND NEW.call IS NULL))
BEGIN SELECT RAISE(ABORT, 'illegal transition: mutations ' || coalesce(OLD.status, 'nothing') || ' -> ' || coalesce(iif(NEW.takeover IS OLD.takeover, NEW.outcome, NEW.takeover) ->> 'status', 'nothing')); END;

-- For a list of three values SQLite builds a table, twice for each of these indexes and each update of
-- the ledger. Alternatives with OR are compared directly.
DROP INDEX idx_mutations_status;
CREATE INDEX idx_mutations_status ON mutations (status)
  WHERE status = 'pending' OR status = 'needs_reconcile' OR status = 'indeterminate';
DROP INDEX idx_mutations_workflow;
CREATE INDEX idx_mutations_workflow ON mutations (workflow_id)
  WHERE status = 'pending' OR status = 'needs_reconcile' OR status = 'indeterminate';
