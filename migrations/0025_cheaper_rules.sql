-- The same rules as in 0005, 0006 and 0007, written differently: SQLite built the list of pairs as a
-- table on every update, a third of its cost. Now the pairs are one text that is searched.
DROP TRIGGER events_legal;
CREATE TRIGGER events_legal BEFORE UPDATE OF progress ON events
WHEN crsql_internal_sync_bit() = 0 AND instr(
  '|pending>reserved|pending>skipped'
    || '|reserved>pending|reserved>consumed|reserved>skipped'
    || '|consumed>pending|skipped>pending|',
  '|' || coalesce(OLD.status, '') || '>' || coalesce(NEW.status, '') || '|') = 0
BEGIN SELECT RAISE(ABORT, 'illegal transition: events ' || coalesce(OLD.status, 'nothing') || ' -> ' || coalesce(NEW.status, 'nothing')); END;

DROP TRIGGER handler_runs_consumer_legal;
CREATE TRIGGER handler_runs_consumer_legal BEFORE UPDATE OF progress, takeover ON handler_runs
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
CREATE TRIGGER handler_runs_producer_legal BEFORE UPDATE OF progress, takeover ON handler_runs
WHEN crsql_internal_sync_bit() = 0 AND OLD.handler_type IS 'producer'
  AND instr(
    '|pending>executing|pending>failed'
      || '|executing>committed|executing>suspended|executing>failed'
      || '|suspended>executing|suspended>failed|',
    '|' || coalesce(iif(NEW.takeover IS OLD.takeover, OLD.progress ->> 'phase', OLD.phase), '')
      || '>' || coalesce(iif(NEW.takeover IS OLD.takeover, NEW.progress, NEW.takeover) ->> 'phase', '')
      || '|') = 0
BEGIN SELECT RAISE(ABORT, 'illegal transition: handler_runs ' || coalesce(OLD.phase, 'nothing') || ' -> ' || coalesce(iif(NEW.takeover IS OLD.takeover, NEW.progress, NEW.takeover) ->> 'phase', 'nothing')); END;

DROP TRIGGER mutations_legal;
CREATE TRIGGER mutations_legal BEFORE UPDATE OF outcome, takeover ON mutations
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
