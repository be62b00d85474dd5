-- Spec 001. Synced: the append-only log under all runs. Local: its snapshots.
CREATE TABLE run_events (
  run_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  run_seq INTEGER GENERATED ALWAYS AS (facts ->> 'run_seq') VIRTUAL,
  event_id TEXT GENERATED ALWAYS AS (facts ->> 'event_id') VIRTUAL,
  event_type TEXT GENERATED ALWAYS AS (facts ->> 'event_type') VIRTUAL,
  emitted_at TEXT GENERATED ALWAYS AS (facts ->> 'emitted_at') VIRTUAL,
  persisted_at TEXT GENERATED ALWAYS AS (facts ->> 'persisted_at') VIRTUAL,
  tenant_id TEXT GENERATED ALWAYS AS (facts ->> 'tenant_id') VIRTUAL,
  project_id TEXT GENERATED ALWAYS AS (facts ->> 'project_id') VIRTUAL,
  environment_id TEXT GENERATED ALWAYS AS (facts ->> 'environment_id') VIRTUAL,
  plan_id TEXT GENERATED ALWAYS AS (facts ->> 'plan_id') VIRTUAL,
  plan_version TEXT GENERATED ALWAYS AS (facts ->> 'plan_version') VIRTUAL,
  engine_attempt_id INTEGER GENERATED ALWAYS AS (facts ->> 'engine_attempt_id') VIRTUAL,
  logical_attempt_id INTEGER GENERATED ALWAYS AS (facts ->> 'logical_attempt_id') VIRTUAL,
  step_id TEXT GENERATED ALWAYS AS (facts ->> 'step_id') VIRTUAL,
  payload TEXT GENERATED ALWAYS AS (facts -> 'payload') VIRTUAL,
  PRIMARY KEY (run_id, idempotency_key)
) STRICT;
SELECT crsql_as_crr('run_events');
CREATE INDEX idx_run_events_seq ON run_events (run_id, run_seq);

-- Unique and without gaps per run: each local append takes exactly the next number.
CREATE TRIGGER run_events_next_seq BEFORE INSERT ON run_events
WHEN crsql_internal_sync_bit() = 0 AND NEW.run_seq IS NOT
  (SELECT coalesce(max(run_seq), 0) + 1 FROM run_events WHERE run_id = NEW.run_id)
BEGIN SELECT RAISE(ABORT, 'run_seq: not the next number of this run'); END;

CREATE TRIGGER run_events_are_final BEFORE UPDATE ON run_events
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: run_events'); END;

CREATE TRIGGER run_events_are_kept BEFORE DELETE ON run_events
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: run_events'); END;

CREATE TABLE run_snapshots (
  run_id TEXT NOT NULL PRIMARY KEY,
  last_run_seq INTEGER NOT NULL,
  snapshot TEXT NOT NULL CHECK (json_valid(snapshot))
) STRICT, WITHOUT ROWID;

-- Merged records may precede those in a snapshot, so the run's snapshot is rebuilt.
CREATE TRIGGER run_events_merged AFTER INSERT ON run_events
WHEN crsql_internal_sync_bit() = 1
BEGIN DELETE FROM run_snapshots WHERE run_id = NEW.run_id; END;

CREATE TRIGGER run_events_merge_completed AFTER UPDATE ON run_events
WHEN crsql_internal_sync_bit() = 1
BEGIN DELETE FROM run_snapshots WHERE run_id = NEW.run_id; END;
