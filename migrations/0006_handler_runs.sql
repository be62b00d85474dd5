-- Spec 002. Synced: one row for each attempt of a handler.
CREATE TABLE handler_runs (
  id TEXT NOT NULL PRIMARY KEY,
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  progress TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(progress)), -- written only by the device that created the row
  takeover TEXT CHECK (takeover IS NULL OR json_valid(takeover)), -- written by a later owner
  prepare_result TEXT CHECK (prepare_result IS NULL OR json_valid(prepare_result)),
  logs TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(logs)),
  script_run_id TEXT GENERATED ALWAYS AS (facts ->> 'script_run_id') VIRTUAL,
  workflow_id TEXT GENERATED ALWAYS AS (facts ->> 'workflow_id') VIRTUAL,
  handler_type TEXT GENERATED ALWAYS AS (facts ->> 'handler_type') VIRTUAL,
  handler_name TEXT GENERATED ALWAYS AS (facts ->> 'handler_name') VIRTUAL,
  input_state TEXT GENERATED ALWAYS AS (facts -> 'input_state') VIRTUAL,
  retry_of TEXT GENERATED ALWAYS AS (facts ->> 'retry_of') VIRTUAL,
  caused_by TEXT GENERATED ALWAYS AS (facts ->> 'caused_by') VIRTUAL,
  device_id TEXT GENERATED ALWAYS AS (facts ->> 'device_id') VIRTUAL,
  epoch INTEGER GENERATED ALWAYS AS (facts ->> 'epoch') VIRTUAL,
  start_timestamp TEXT GENERATED ALWAYS AS (facts ->> 'start_timestamp') VIRTUAL,
  -- Same rule as src-shared/takeover-precedence.ts.
  counts TEXT GENERATED ALWAYS AS (CASE
    WHEN takeover IS NULL OR progress ->> 'phase' IN ('committed', 'failed') THEN progress
    WHEN takeover ->> 'phase' = 'failed'
      AND takeover ->> 'over' IN ('pending', 'preparing', 'prepared', 'executing')
      AND progress ->> 'phase' NOT IN ('pending', 'preparing', 'prepared', 'executing') THEN progress
    ELSE takeover END) VIRTUAL,
  phase TEXT GENERATED ALWAYS AS (counts ->> 'phase') VIRTUAL,
  resume_phase TEXT GENERATED ALWAYS AS (counts ->> 'resume_phase') VIRTUAL,
  reason TEXT GENERATED ALWAYS AS (counts ->> 'reason') VIRTUAL,
  output_state TEXT GENERATED ALWAYS AS (counts -> 'output_state') VIRTUAL,
  end_timestamp TEXT GENERATED ALWAYS AS (counts ->> 'end_timestamp') VIRTUAL,
  error TEXT GENERATED ALWAYS AS (counts ->> 'error') VIRTUAL,
  error_type TEXT GENERATED ALWAYS AS (counts ->> 'error_type') VIRTUAL,
  cost INTEGER GENERATED ALWAYS AS (coalesce(counts ->> 'cost', 0)) VIRTUAL
) STRICT;
SELECT crsql_as_crr('handler_runs');
CREATE INDEX idx_handler_runs_script_run ON handler_runs (script_run_id);
CREATE INDEX idx_handler_runs_workflow ON handler_runs (workflow_id, id DESC);
CREATE INDEX idx_handler_runs_retry_of ON handler_runs (retry_of) WHERE retry_of IS NOT NULL;
CREATE INDEX idx_handler_runs_phase ON handler_runs (phase);
-- Unfinished runs: the cost of start-up and scheduling grows with them, not with the history.
CREATE INDEX idx_handler_runs_open ON handler_runs (workflow_id, id)
  WHERE phase NOT IN ('committed', 'failed');

CREATE TRIGGER handler_runs_facts_are_final BEFORE UPDATE OF id, facts ON handler_runs
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: handler_runs.facts'); END;

-- A run starts at its first phase, at its checkpoint, or after the effect if it continues a run
-- that could not finish.
CREATE TRIGGER handler_runs_start BEFORE INSERT ON handler_runs
WHEN crsql_internal_sync_bit() = 0 AND NEW.phase IS NOT 'pending'
  AND NOT (NEW.handler_type IS 'producer' AND NEW.phase IS 'executing')
  AND NOT (NEW.handler_type IS 'consumer' AND NEW.phase IS 'preparing')
  AND NOT (NEW.handler_type IS 'consumer' AND NEW.phase IS 'prepared' AND NEW.prepare_result IS NOT NULL)
  AND NOT (NEW.handler_type IS 'consumer' AND NEW.phase IS 'emitting' AND NEW.retry_of IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'illegal transition: handler_runs starts as ' || coalesce(NEW.phase, 'nothing')); END;

CREATE TRIGGER handler_runs_have_a_type BEFORE INSERT ON handler_runs
WHEN crsql_internal_sync_bit() = 0 AND coalesce(NEW.handler_type, '') NOT IN ('producer', 'consumer')
BEGIN SELECT RAISE(ABORT, 'handler_runs.handler_type is neither producer nor consumer'); END;

CREATE TRIGGER handler_runs_prepared_once BEFORE UPDATE OF prepare_result ON handler_runs
WHEN crsql_internal_sync_bit() = 0 AND OLD.prepare_result IS NOT NULL
  AND NEW.prepare_result IS NOT OLD.prepare_result
BEGIN SELECT RAISE(ABORT, 'immutable: handler_runs.prepare_result'); END;

-- The creating device continues from its own columns; a later owner from the effective values.
CREATE TRIGGER handler_runs_one_writer BEFORE UPDATE OF progress, takeover ON handler_runs
WHEN crsql_internal_sync_bit() = 0
  AND NEW.takeover IS NOT OLD.takeover AND NEW.progress IS NOT OLD.progress
BEGIN SELECT RAISE(ABORT, 'handler_runs: progress and takeover have two writers'); END;

-- A later owner continues in a new run.
CREATE TRIGGER handler_runs_takeover BEFORE UPDATE OF takeover ON handler_runs
WHEN crsql_internal_sync_bit() = 0
  AND (NEW.takeover IS NULL OR NEW.takeover ->> 'over' IS NULL OR NEW.takeover ->> 'phase' IS 'committed')
BEGIN SELECT RAISE(ABORT, 'illegal transition: handler_runs.takeover'); END;

CREATE TRIGGER handler_runs_consumer_legal BEFORE UPDATE OF progress, takeover ON handler_runs
WHEN crsql_internal_sync_bit() = 0 AND OLD.handler_type IS NOT 'producer'
  AND (
    coalesce(iif(NEW.takeover IS OLD.takeover, OLD.progress ->> 'phase', OLD.phase), ''),
    coalesce(iif(NEW.takeover IS OLD.takeover, NEW.progress, NEW.takeover) ->> 'phase', '')
  ) NOT IN (VALUES
  ('pending', 'preparing'), ('pending', 'failed'),
  ('preparing', 'prepared'), ('preparing', 'suspended'), ('preparing', 'failed'),
  ('prepared', 'mutating'), ('prepared', 'emitting'), ('prepared', 'suspended'), ('prepared', 'failed'),
  ('mutating', 'mutated'), ('mutating', 'suspended'), ('mutating', 'failed'),
  ('mutated', 'emitting'), ('mutated', 'suspended'), ('mutated', 'failed'),
  ('emitting', 'committed'), ('emitting', 'suspended'), ('emitting', 'failed'),
  ('suspended', 'failed'))
  AND NOT (
    iif(NEW.takeover IS OLD.takeover, OLD.progress ->> 'phase', OLD.phase) IS 'suspended'
    AND coalesce(
      iif(NEW.takeover IS OLD.takeover, NEW.progress, NEW.takeover) ->> 'phase' IN (
        iif(NEW.takeover IS OLD.takeover, OLD.progress ->> 'resume_phase', OLD.resume_phase),
        iif(iif(NEW.takeover IS OLD.takeover, OLD.progress ->> 'resume_phase', OLD.resume_phase)
          IS 'mutating', 'mutated', NULL)),
      0))
BEGIN SELECT RAISE(ABORT, 'illegal transition: handler_runs ' || coalesce(OLD.phase, 'nothing') || ' -> ' || coalesce(iif(NEW.takeover IS OLD.takeover, NEW.progress, NEW.takeover) ->> 'phase', 'nothing')); END;

CREATE TRIGGER handler_runs_producer_legal BEFORE UPDATE OF progress, takeover ON handler_runs
WHEN crsql_internal_sync_bit() = 0 AND OLD.handler_type IS 'producer'
  AND (
    coalesce(iif(NEW.takeover IS OLD.takeover, OLD.progress ->> 'phase', OLD.phase), ''),
    coalesce(iif(NEW.takeover IS OLD.takeover, NEW.progress, NEW.takeover) ->> 'phase', '')
  ) NOT IN (VALUES
  ('pending', 'executing'), ('pending', 'failed'),
  ('executing', 'committed'), ('executing', 'suspended'), ('executing', 'failed'),
  ('suspended', 'executing'), ('suspended', 'failed'))
BEGIN SELECT RAISE(ABORT, 'illegal transition: handler_runs ' || coalesce(OLD.phase, 'nothing') || ' -> ' || coalesce(iif(NEW.takeover IS OLD.takeover, NEW.progress, NEW.takeover) ->> 'phase', 'nothing')); END;
