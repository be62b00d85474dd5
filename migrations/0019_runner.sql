-- Spec 003. Local: the registry and jobs of this device are not synced.
CREATE TABLE runner_repos (
  key TEXT NOT NULL PRIMARY KEY,
  title TEXT NOT NULL,
  path TEXT NOT NULL,
  is_listed INTEGER NOT NULL CHECK (is_listed IN (0, 1)), -- 0: gone from the registry, jobs still name it
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The advisory lock: one row. Each new holder raises the version, so writes with an older one match no row.
CREATE TABLE runner_launcher (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  version INTEGER NOT NULL,
  owner TEXT,
  boot_id TEXT,
  pid INTEGER,
  pid_started TEXT,
  heartbeat_at INTEGER NOT NULL
) STRICT;
INSERT INTO runner_launcher (id, version, heartbeat_at) VALUES (1, 0, 0);

CREATE TABLE runner_jobs (
  id TEXT NOT NULL PRIMARY KEY, -- a ULID: sorts by time of creation
  requested_by TEXT NOT NULL,
  idempotency_key TEXT,
  payload_hash TEXT NOT NULL,
  repo_key TEXT NOT NULL,
  script_key TEXT NOT NULL,
  args TEXT NOT NULL CHECK (json_valid(args)),
  timeout_ms INTEGER NOT NULL CHECK (timeout_ms > 0),
  status TEXT NOT NULL CHECK (status IN (
    'queued', 'running', 'cancel_requested', 'succeeded', 'failed', 'canceled', 'timed_out')),
  reason TEXT,
  exit_code INTEGER,
  exit_signal TEXT,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  cancel_requested_at INTEGER,
  finished_at INTEGER,
  launcher_version INTEGER, -- of the launcher that claimed it
  boot_id TEXT, -- the boot of the machine in which it was claimed
  spawn TEXT CHECK (spawn IN ('asked', 'done')), -- progress of its start
  pid INTEGER,
  pid_started TEXT,
  log_bytes INTEGER NOT NULL DEFAULT 0,
  log_dropped_bytes INTEGER NOT NULL DEFAULT 0,
  log_removed_at INTEGER,
  CHECK (status <> 'queued' OR (started_at IS NULL AND finished_at IS NULL)),
  CHECK (status NOT IN ('running', 'cancel_requested')
    OR (started_at IS NOT NULL AND finished_at IS NULL AND launcher_version IS NOT NULL)),
  CHECK (status NOT IN ('succeeded', 'timed_out')
    OR (started_at IS NOT NULL AND finished_at IS NOT NULL)),
  CHECK (status NOT IN ('failed', 'canceled') OR finished_at IS NOT NULL),
  CHECK (status <> 'cancel_requested' OR cancel_requested_at IS NOT NULL),
  CHECK (status <> 'succeeded' OR exit_code = 0),
  CHECK (started_at IS NULL OR started_at >= created_at),
  CHECK (finished_at IS NULL OR finished_at >= coalesce(started_at, created_at))
) STRICT;
CREATE INDEX idx_runner_jobs_status ON runner_jobs (status, id DESC);
CREATE INDEX idx_runner_jobs_queue ON runner_jobs (id) WHERE status = 'queued';
CREATE INDEX idx_runner_jobs_script ON runner_jobs (script_key, id DESC);
CREATE INDEX idx_runner_jobs_key ON runner_jobs (requested_by, idempotency_key, id DESC)
  WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX idx_runner_jobs_active_key ON runner_jobs (requested_by, idempotency_key)
  WHERE idempotency_key IS NOT NULL AND status IN ('queued', 'running', 'cancel_requested');
CREATE INDEX idx_runner_jobs_logs ON runner_jobs (id, log_bytes)
  WHERE log_bytes > 0 AND log_removed_at IS NULL;

CREATE TRIGGER runner_jobs_start_queued BEFORE INSERT ON runner_jobs
WHEN NEW.status IS NOT 'queued'
BEGIN SELECT RAISE(ABORT, 'illegal transition: runner_jobs starts as ' || NEW.status); END;

CREATE TRIGGER runner_jobs_legal BEFORE UPDATE OF status ON runner_jobs
WHEN (OLD.status, NEW.status) NOT IN (VALUES
  ('queued', 'running'), ('queued', 'failed'), ('queued', 'canceled'),
  ('running', 'cancel_requested'), ('running', 'succeeded'), ('running', 'failed'),
  ('running', 'timed_out'),
  ('cancel_requested', 'canceled'), ('cancel_requested', 'failed'),
  ('cancel_requested', 'timed_out'))
BEGIN SELECT RAISE(ABORT, 'illegal transition: runner_jobs ' || OLD.status || ' -> ' || NEW.status); END;

CREATE TRIGGER runner_jobs_facts_are_final BEFORE UPDATE OF
  id, requested_by, idempotency_key, payload_hash, repo_key, script_key, args, timeout_ms, created_at
ON runner_jobs
BEGIN SELECT RAISE(ABORT, 'immutable: runner_jobs'); END;

CREATE TRIGGER runner_jobs_are_kept BEFORE DELETE ON runner_jobs
BEGIN SELECT RAISE(ABORT, 'immutable: runner_jobs'); END;

CREATE TABLE runner_job_events (
  job_id TEXT NOT NULL,
  seq INTEGER NOT NULL CHECK (seq > 0),
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  detail TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(detail)),
  PRIMARY KEY (job_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER runner_job_events_are_final BEFORE UPDATE ON runner_job_events
BEGIN SELECT RAISE(ABORT, 'immutable: runner_job_events'); END;

CREATE TRIGGER runner_job_events_are_kept BEFORE DELETE ON runner_job_events
BEGIN SELECT RAISE(ABORT, 'immutable: runner_job_events'); END;
