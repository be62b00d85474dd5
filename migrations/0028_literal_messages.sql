-- SQLite before 3.47 accepts only a literal as the message of RAISE, and reports a schema with any other
-- expression as malformed. The conditions are those of 0003, 0005, 0019, 0020 and 0027.
DROP TRIGGER script_runs_start_booting;
CREATE TRIGGER script_runs_start_booting BEFORE INSERT ON script_runs
WHEN crsql_internal_sync_bit() = 0 AND NEW.status IS NOT 'booting'
BEGIN SELECT RAISE(ABORT, 'illegal transition: script_runs must start as booting'); END;

DROP TRIGGER script_runs_one_active;
CREATE TRIGGER script_runs_one_active BEFORE INSERT ON script_runs
WHEN crsql_internal_sync_bit() = 0 AND EXISTS (
  SELECT 1 FROM script_runs
  WHERE workflow_id = NEW.workflow_id AND lane = NEW.lane AND device_id = NEW.device_id
    AND status IN ('booting', 'running', 'validating'))
BEGIN SELECT RAISE(ABORT, 'one active run per workflow and lane'); END;

DROP TRIGGER script_runs_legal;
CREATE TRIGGER script_runs_legal BEFORE UPDATE OF progress ON script_runs
WHEN crsql_internal_sync_bit() = 0 AND (coalesce(OLD.status, ''), coalesce(NEW.status, '')) NOT IN (VALUES
  ('booting', 'running'),
  ('booting', 'completed'), ('booting', 'failed'), ('booting', 'suspended'),
  ('booting', 'canceled'), ('booting', 'timed_out'),
  ('running', 'validating'),
  ('running', 'completed'), ('running', 'failed'), ('running', 'suspended'),
  ('running', 'canceled'), ('running', 'timed_out'),
  ('validating', 'completed'), ('validating', 'failed'), ('validating', 'suspended'),
  ('validating', 'canceled'), ('validating', 'timed_out'))
BEGIN SELECT RAISE(ABORT, 'illegal transition: script_runs'); END;

DROP TRIGGER events_start_pending;
CREATE TRIGGER events_start_pending BEFORE INSERT ON events
WHEN crsql_internal_sync_bit() = 0 AND NEW.status IS NOT 'pending'
BEGIN SELECT RAISE(ABORT, 'illegal transition: events must start as pending'); END;

DROP TRIGGER runner_jobs_start_queued;
CREATE TRIGGER runner_jobs_start_queued BEFORE INSERT ON runner_jobs
WHEN NEW.status IS NOT 'queued'
BEGIN SELECT RAISE(ABORT, 'illegal transition: runner_jobs must start as queued'); END;

DROP TRIGGER runner_jobs_legal;
CREATE TRIGGER runner_jobs_legal BEFORE UPDATE OF status ON runner_jobs
WHEN (OLD.status, NEW.status) NOT IN (VALUES
  ('queued', 'running'), ('queued', 'failed'), ('queued', 'canceled'),
  ('running', 'cancel_requested'), ('running', 'succeeded'), ('running', 'failed'),
  ('running', 'timed_out'),
  ('cancel_requested', 'canceled'), ('cancel_requested', 'failed'),
  ('cancel_requested', 'timed_out'))
BEGIN SELECT RAISE(ABORT, 'illegal transition: runner_jobs'); END;

DROP TRIGGER automation_runs_start_queued;
CREATE TRIGGER automation_runs_start_queued BEFORE INSERT ON automation_runs
WHEN crsql_internal_sync_bit() = 0 AND NEW.status IS NOT 'queued'
BEGIN SELECT RAISE(ABORT, 'illegal transition: automation_runs must start as queued'); END;

DROP TRIGGER automation_runs_legal;
CREATE TRIGGER automation_runs_legal BEFORE UPDATE OF progress ON automation_runs
WHEN crsql_internal_sync_bit() = 0 AND NOT (
  (OLD.settled IS NULL AND NEW.settled IS NULL
    AND (coalesce(OLD.status, ''), coalesce(NEW.status, '')) IN (VALUES
    ('queued', 'enriching'), ('enriching', 'ready'), ('ready', 'running'),
    ('running', 'needs_human'), ('needs_human', 'running'), ('running', 'succeeded'),
    ('queued', 'failed'), ('queued', 'timed_out'), ('queued', 'canceled'), ('queued', 'skipped'),
    ('enriching', 'failed'), ('enriching', 'timed_out'), ('enriching', 'canceled'),
    ('enriching', 'skipped'),
    ('ready', 'failed'), ('ready', 'timed_out'), ('ready', 'canceled'), ('ready', 'skipped'),
    ('running', 'failed'), ('running', 'timed_out'), ('running', 'canceled'),
    ('running', 'skipped'),
    ('needs_human', 'failed'), ('needs_human', 'timed_out'), ('needs_human', 'canceled'),
    ('needs_human', 'skipped')))
  -- A person may settle a bad end, once.
  OR (OLD.settled IS NULL AND NEW.settled IS NOT NULL
    AND coalesce(OLD.status, '') IN ('failed', 'timed_out', 'needs_human')
    AND coalesce(NEW.status, '') IN ('succeeded', 'failed')))
BEGIN SELECT RAISE(ABORT, 'illegal transition: automation_runs'); END;

DROP TRIGGER events_legal;
CREATE TRIGGER events_legal AFTER UPDATE OF progress ON events
WHEN crsql_internal_sync_bit() = 0 AND instr(
  '|pending>reserved|pending>skipped'
    || '|reserved>pending|reserved>consumed|reserved>skipped'
    || '|consumed>pending|skipped>pending|',
  '|' || coalesce(OLD.status, '') || '>' || coalesce(NEW.status, '') || '|') = 0
BEGIN SELECT RAISE(ABORT, 'illegal transition: events'); END;

DROP TRIGGER handler_runs_start;
CREATE TRIGGER handler_runs_start AFTER INSERT ON handler_runs
WHEN crsql_internal_sync_bit() = 0 AND NEW.phase IS NOT 'pending'
  AND NOT (NEW.handler_type IS 'producer' AND NEW.phase IS 'executing')
  AND NOT (NEW.handler_type IS 'consumer' AND NEW.phase IS 'preparing')
  AND NOT (NEW.handler_type IS 'consumer' AND NEW.phase IS 'prepared' AND NEW.prepare_result IS NOT NULL)
  AND NOT (NEW.handler_type IS 'consumer' AND NEW.phase IS 'emitting' AND NEW.retry_of IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'illegal transition: handler_runs cannot start in this phase'); END;

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
BEGIN SELECT RAISE(ABORT, 'illegal transition: handler_runs'); END;

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
BEGIN SELECT RAISE(ABORT, 'illegal transition: handler_runs'); END;

DROP TRIGGER mutations_start;
CREATE TRIGGER mutations_start AFTER INSERT ON mutations
WHEN crsql_internal_sync_bit() = 0
  AND NOT (NEW.status IS 'pending' OR (NEW.status IS 'in_flight' AND NEW.call IS NOT NULL))
BEGIN SELECT RAISE(ABORT, 'illegal transition: mutations must start as pending or in_flight'); END;

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
BEGIN SELECT RAISE(ABORT, 'illegal transition: mutations'); END;
