-- Spec 000. Synced: the immutable record of a session. Local: the pointer to the active one.
CREATE TABLE script_runs (
  id TEXT NOT NULL PRIMARY KEY, -- hash(workflow_id, lane, start_request_id)
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  progress TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(progress)),
  handler_run_count INTEGER NOT NULL DEFAULT 0,
  workflow_id TEXT GENERATED ALWAYS AS (facts ->> 'workflow_id') VIRTUAL,
  lane TEXT GENERATED ALWAYS AS (facts ->> 'lane') VIRTUAL,
  start_request_id TEXT GENERATED ALWAYS AS (facts ->> 'start_request_id') VIRTUAL,
  "trigger" TEXT GENERATED ALWAYS AS (facts ->> 'trigger') VIRTUAL,
  script_id TEXT GENERATED ALWAYS AS (facts ->> 'script_id') VIRTUAL,
  run_start_sha TEXT GENERATED ALWAYS AS (facts ->> 'run_start_sha') VIRTUAL,
  flags TEXT GENERATED ALWAYS AS (facts -> 'flags') VIRTUAL,
  device_id TEXT GENERATED ALWAYS AS (facts ->> 'device_id') VIRTUAL,
  created_at INTEGER GENERATED ALWAYS AS (facts ->> 'created_at') VIRTUAL,
  status TEXT GENERATED ALWAYS AS (progress ->> 'status') VIRTUAL,
  sandbox_id TEXT GENERATED ALWAYS AS (progress ->> 'sandbox_id') VIRTUAL,
  terminal_event_id TEXT GENERATED ALWAYS AS (progress ->> 'terminal_event_id') VIRTUAL,
  run_end_sha TEXT GENERATED ALWAYS AS (progress ->> 'run_end_sha') VIRTUAL,
  error TEXT GENERATED ALWAYS AS (progress ->> 'error') VIRTUAL,
  ended_at INTEGER GENERATED ALWAYS AS (progress ->> 'ended_at') VIRTUAL
) STRICT;
SELECT crsql_as_crr('script_runs');
CREATE INDEX idx_script_runs_lane ON script_runs (workflow_id, lane, created_at DESC);
CREATE INDEX idx_script_runs_created ON script_runs (created_at DESC, id DESC);
CREATE INDEX idx_script_runs_workflow ON script_runs (workflow_id, created_at DESC, id DESC);
CREATE INDEX idx_script_runs_status ON script_runs (status, created_at DESC, id DESC);
CREATE INDEX idx_script_runs_active ON script_runs (workflow_id, lane)
  WHERE status IN ('booting', 'running', 'validating');

CREATE TRIGGER script_runs_facts_are_final BEFORE UPDATE OF id, facts ON script_runs
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: script_runs.facts'); END;

CREATE TRIGGER script_runs_are_kept BEFORE DELETE ON script_runs
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: script_runs'); END;

CREATE TRIGGER script_runs_start_booting BEFORE INSERT ON script_runs
WHEN crsql_internal_sync_bit() = 0 AND NEW.status IS NOT 'booting'
BEGIN SELECT RAISE(ABORT, 'illegal transition: script_runs starts as ' || coalesce(NEW.status, 'nothing')); END;

-- The partial unique index of spec 000, as a trigger: a synced table may have no UNIQUE but its key.
-- Applies to this device only: a session that another device left active does not block a new one.
CREATE TRIGGER script_runs_one_active BEFORE INSERT ON script_runs
WHEN crsql_internal_sync_bit() = 0 AND EXISTS (
  SELECT 1 FROM script_runs
  WHERE workflow_id = NEW.workflow_id AND lane = NEW.lane AND device_id = NEW.device_id
    AND status IN ('booting', 'running', 'validating'))
BEGIN SELECT RAISE(ABORT, 'one active run: ' || NEW.workflow_id || '/' || NEW.lane); END;

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
BEGIN SELECT RAISE(ABORT, 'illegal transition: script_runs ' || coalesce(OLD.status, 'nothing') || ' -> ' || coalesce(NEW.status, 'nothing')); END;

CREATE TRIGGER script_runs_sandbox_is_final BEFORE UPDATE OF progress ON script_runs
WHEN crsql_internal_sync_bit() = 0 AND OLD.sandbox_id IS NOT NULL
  AND NEW.sandbox_id IS NOT OLD.sandbox_id
BEGIN SELECT RAISE(ABORT, 'immutable: script_runs.sandbox_id'); END;

CREATE TABLE run_contexts (
  workflow_id TEXT NOT NULL,
  lane TEXT NOT NULL,
  version INTEGER NOT NULL,
  active_run_id TEXT,
  sandbox_id TEXT,
  last_accepted_seq INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workflow_id, lane)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_run_contexts_active_run ON run_contexts (active_run_id);

CREATE TABLE lane_validation (
  workflow_id TEXT NOT NULL,
  lane TEXT NOT NULL,
  script_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('valid', 'invalid')),
  problems TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(problems)),
  validated_at INTEGER NOT NULL,
  PRIMARY KEY (workflow_id, lane)
) STRICT, WITHOUT ROWID;
