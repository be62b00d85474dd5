-- Spec 004. Synced: inputs and their automation runs. Local: hooks, the outbox of stages, leases.
CREATE TABLE trigger_events (
  id TEXT NOT NULL PRIMARY KEY, -- hash(workflow_id, trigger_id, dedup_key): one input on every device
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  raw_payload TEXT NOT NULL DEFAULT 'null' CHECK (json_valid(raw_payload)),
  organization_id TEXT GENERATED ALWAYS AS (facts ->> 'organization_id') VIRTUAL,
  workflow_id TEXT GENERATED ALWAYS AS (facts ->> 'workflow_id') VIRTUAL,
  trigger_id TEXT GENERATED ALWAYS AS (facts ->> 'trigger_id') VIRTUAL,
  kind TEXT GENERATED ALWAYS AS (facts ->> 'kind') VIRTUAL,
  dedup_key TEXT GENERATED ALWAYS AS (facts ->> 'dedup_key') VIRTUAL,
  source TEXT GENERATED ALWAYS AS (facts ->> 'source') VIRTUAL,
  type TEXT GENERATED ALWAYS AS (facts ->> 'type') VIRTUAL,
  external_id TEXT GENERATED ALWAYS AS (facts ->> 'external_id') VIRTUAL,
  title TEXT GENERATED ALWAYS AS (facts ->> 'title') VIRTUAL,
  correlation_id TEXT GENERATED ALWAYS AS (facts ->> 'correlation_id') VIRTUAL,
  device_id TEXT GENERATED ALWAYS AS (facts ->> 'device_id') VIRTUAL,
  created_at INTEGER GENERATED ALWAYS AS (facts ->> 'created_at') VIRTUAL
) STRICT;
SELECT crsql_as_crr('trigger_events');

CREATE TRIGGER trigger_events_are_final BEFORE UPDATE ON trigger_events
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: trigger_events'); END;

CREATE TRIGGER trigger_events_are_kept BEFORE DELETE ON trigger_events
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: trigger_events'); END;

CREATE TABLE automation_runs (
  id TEXT NOT NULL PRIMARY KEY, -- hash(trigger_event_id): one run for one input
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  progress TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(progress)), -- written by the owner, one transition at a time
  artifacts TEXT CHECK (artifacts IS NULL OR json_valid(artifacts)),
  session TEXT CHECK (session IS NULL OR json_valid(session)),
  stopping TEXT CHECK (stopping IS NULL OR json_valid(stopping)), -- requested, not done yet
  completion TEXT CHECK (completion IS NULL OR json_valid(completion)),
  completion_artifact_ref TEXT,
  organization_id TEXT GENERATED ALWAYS AS (facts ->> 'organization_id') VIRTUAL,
  automation_id TEXT GENERATED ALWAYS AS (facts ->> 'automation_id') VIRTUAL, -- the workflow
  trigger_event_id TEXT GENERATED ALWAYS AS (facts ->> 'trigger_event_id') VIRTUAL,
  trigger_id TEXT GENERATED ALWAYS AS (facts ->> 'trigger_id') VIRTUAL,
  kind TEXT GENERATED ALWAYS AS (facts ->> 'kind') VIRTUAL,
  source TEXT GENERATED ALWAYS AS (facts ->> 'source') VIRTUAL,
  queued_at INTEGER GENERATED ALWAYS AS (facts ->> 'queued_at') VIRTUAL,
  deadline_at INTEGER GENERATED ALWAYS AS (facts ->> 'deadline_at') VIRTUAL,
  status TEXT GENERATED ALWAYS AS (progress ->> 'status') VIRTUAL,
  status_reason TEXT GENERATED ALWAYS AS (progress ->> 'reason') VIRTUAL,
  failure_stage TEXT GENERATED ALWAYS AS (progress ->> 'failure_stage') VIRTUAL,
  settled TEXT GENERATED ALWAYS AS (progress ->> 'settled') VIRTUAL,
  moves INTEGER GENERATED ALWAYS AS (coalesce(progress ->> 'moves', 0)) VIRTUAL,
  enrichment_started_at INTEGER GENERATED ALWAYS AS (progress ->> 'enrichment_started_at') VIRTUAL,
  enrichment_completed_at INTEGER GENERATED ALWAYS AS (progress ->> 'enrichment_completed_at') VIRTUAL,
  execution_started_at INTEGER GENERATED ALWAYS AS (progress ->> 'execution_started_at') VIRTUAL,
  prompt_sent_at INTEGER GENERATED ALWAYS AS (progress ->> 'prompt_sent_at') VIRTUAL,
  completed_at INTEGER GENERATED ALWAYS AS (progress ->> 'completed_at') VIRTUAL,
  last_activity_at INTEGER GENERATED ALWAYS AS (progress ->> 'last_activity_at') VIRTUAL,
  session_id TEXT GENERATED ALWAYS AS (session ->> 'id') VIRTUAL,
  session_created_at INTEGER GENERATED ALWAYS AS (session ->> 'created_at') VIRTUAL,
  completion_id TEXT GENERATED ALWAYS AS (progress ->> 'completion_id') VIRTUAL,
  completion_json TEXT GENERATED ALWAYS AS (completion -> 'result') VIRTUAL,
  enrichment_artifact_ref TEXT GENERATED ALWAYS AS (artifacts ->> 'enrichment') VIRTUAL,
  sources_artifact_ref TEXT GENERATED ALWAYS AS (artifacts ->> 'sources') VIRTUAL,
  policy_artifact_ref TEXT GENERATED ALWAYS AS (artifacts ->> 'policy') VIRTUAL
) STRICT;
SELECT crsql_as_crr('automation_runs');
CREATE INDEX idx_automation_runs_queued ON automation_runs (queued_at DESC, id DESC);
CREATE INDEX idx_automation_runs_status ON automation_runs (status, queued_at DESC, id DESC);
CREATE INDEX idx_automation_runs_workflow ON automation_runs (automation_id, queued_at DESC, id DESC);
CREATE INDEX idx_automation_runs_source ON automation_runs (source, queued_at DESC, id DESC);
-- Unfinished automation runs: the cost of start-up and of the finalizer grows with them, not with the history.
CREATE INDEX idx_automation_runs_open ON automation_runs (automation_id, id)
  WHERE status IN ('queued', 'enriching', 'ready', 'running', 'needs_human');

CREATE TRIGGER automation_runs_facts_are_final BEFORE UPDATE OF id, facts ON automation_runs
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: automation_runs.facts'); END;

CREATE TRIGGER automation_runs_are_kept BEFORE DELETE ON automation_runs
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: automation_runs'); END;

CREATE TRIGGER automation_runs_start_queued BEFORE INSERT ON automation_runs
WHEN crsql_internal_sync_bit() = 0 AND NEW.status IS NOT 'queued'
BEGIN SELECT RAISE(ABORT, 'illegal transition: automation_runs starts as ' || coalesce(NEW.status, 'nothing')); END;

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
  -- Settled by a person: once, and only what did not go well.
  OR (OLD.settled IS NULL AND NEW.settled IS NOT NULL
    AND coalesce(OLD.status, '') IN ('failed', 'timed_out', 'needs_human')
    AND coalesce(NEW.status, '') IN ('succeeded', 'failed')))
BEGIN SELECT RAISE(ABORT, 'illegal transition: automation_runs ' || coalesce(OLD.status, 'nothing') || ' -> ' || coalesce(NEW.status, 'nothing')); END;

CREATE TRIGGER automation_runs_completed_once BEFORE UPDATE OF completion ON automation_runs
WHEN crsql_internal_sync_bit() = 0 AND OLD.completion IS NOT NULL AND NEW.completion IS NOT OLD.completion
BEGIN SELECT RAISE(ABORT, 'immutable: automation_runs.completion'); END;

-- The history of spec 004 is in run_events, the log of all runs.
CREATE VIEW automation_run_events AS
  SELECT run_events.run_id AS run_id,
    run_events.facts ->> 'event_type' AS type,
    run_events.facts -> 'payload' ->> 'from' AS from_status,
    run_events.facts -> 'payload' ->> 'to' AS to_status,
    run_events.facts -> 'payload' AS data,
    run_events.facts ->> 'persisted_at' AS created_at,
    run_events.facts ->> 'run_seq' AS seq
  FROM automation_runs JOIN run_events ON run_events.run_id = automation_runs.id;

CREATE TABLE automation_side_effects (
  effect_id TEXT NOT NULL PRIMARY KEY, -- the same on every device and every retry
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  response_json TEXT NOT NULL DEFAULT 'null' CHECK (json_valid(response_json)),
  organization_id TEXT GENERATED ALWAYS AS (facts ->> 'organization_id') VIRTUAL,
  run_id TEXT GENERATED ALWAYS AS (facts ->> 'run_id') VIRTUAL,
  handler_run_id TEXT GENERATED ALWAYS AS (facts ->> 'handler_run_id') VIRTUAL,
  kind TEXT GENERATED ALWAYS AS (facts ->> 'kind') VIRTUAL,
  provider TEXT GENERATED ALWAYS AS (facts ->> 'provider') VIRTUAL,
  created_at INTEGER GENERATED ALWAYS AS (facts ->> 'created_at') VIRTUAL
) STRICT;
SELECT crsql_as_crr('automation_side_effects');
CREATE INDEX idx_automation_side_effects_run ON automation_side_effects (run_id, created_at);

CREATE TRIGGER automation_side_effects_are_final BEFORE UPDATE ON automation_side_effects
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: automation_side_effects'); END;

CREATE TRIGGER automation_side_effects_are_kept BEFORE DELETE ON automation_side_effects
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: automation_side_effects'); END;

-- Open work of an input: the cost of the check grows with the open work only.
CREATE INDEX idx_events_caused_by ON events (caused_by, status) WHERE caused_by IS NOT NULL;

CREATE TABLE hooks (
  id TEXT NOT NULL PRIMARY KEY, -- part of the address, so it must not be guessable
  name TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  topic TEXT NOT NULL,
  auth TEXT NOT NULL CHECK (json_valid(auth)),
  dedup TEXT NOT NULL CHECK (json_valid(dedup)),
  redact_paths TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(redact_paths)),
  request_id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  rotated_at INTEGER,
  previous_until INTEGER,
  accepted INTEGER NOT NULL DEFAULT 0,
  last_accepted_at INTEGER
) STRICT, WITHOUT ROWID;

-- Signatures already accepted: the same signed bytes under another key are a replay.
CREATE TABLE hook_proofs (
  hook_id TEXT NOT NULL,
  proof TEXT NOT NULL,
  trigger_event_id TEXT NOT NULL,
  PRIMARY KEY (hook_id, proof)
) STRICT, WITHOUT ROWID;

CREATE TABLE automation_leases (
  run_id TEXT NOT NULL PRIMARY KEY,
  lease_owner TEXT NOT NULL,
  lease_expires_at INTEGER NOT NULL,
  lease_version INTEGER NOT NULL -- the fencing token: only ever rises
) STRICT, WITHOUT ROWID;

CREATE TRIGGER automation_leases_rise BEFORE UPDATE OF lease_version ON automation_leases
WHEN NEW.lease_version < OLD.lease_version
BEGIN SELECT RAISE(ABORT, 'automation_leases: a fencing token never falls'); END;

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- insertion order
  organization_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('enqueue_enrich', 'enqueue_execute', 'write_completion')),
  payload TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(payload)),
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'dispatched', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  available_at INTEGER NOT NULL,
  last_error TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (run_id, kind)
) STRICT;
CREATE INDEX idx_outbox_due ON outbox (available_at, id) WHERE status = 'pending';
CREATE INDEX idx_outbox_open ON outbox (run_id, id) WHERE status <> 'dispatched';

CREATE TRIGGER automation_runs_merged AFTER INSERT ON automation_runs
WHEN crsql_internal_sync_bit() = 1
BEGIN
  INSERT INTO merged_rows SELECT 'automation_runs', NEW.id
  WHERE NOT EXISTS (SELECT 1 FROM merged_rows WHERE kind = 'automation_runs' AND id = NEW.id);
END;

CREATE TRIGGER automation_runs_merge_changed AFTER UPDATE OF progress ON automation_runs
WHEN crsql_internal_sync_bit() = 1
BEGIN
  INSERT INTO merged_rows SELECT 'automation_runs', NEW.id
  WHERE NOT EXISTS (SELECT 1 FROM merged_rows WHERE kind = 'automation_runs' AND id = NEW.id);
END;
