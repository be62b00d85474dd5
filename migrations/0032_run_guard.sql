-- Specs 000 and 001: what a synced table can't enforce with UNIQUE, in local tables beside it.

-- Every local start and end of a session passes through here, in the same statement, also in raw SQL.
-- Sessions of other devices are not here, so they never block this one.
CREATE TABLE run_guard (
  run_id TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  lane TEXT NOT NULL,
  status TEXT NOT NULL,
  terminal_event_id TEXT,
  CHECK ((terminal_event_id IS NULL) = (status IN ('booting', 'running', 'validating')))
) STRICT;
CREATE UNIQUE INDEX idx_run_guard_active ON run_guard (workflow_id, lane)
  WHERE status IN ('booting', 'running', 'validating');
CREATE UNIQUE INDEX idx_run_guard_terminal ON run_guard (run_id, terminal_event_id)
  WHERE terminal_event_id IS NOT NULL;

INSERT OR IGNORE INTO run_guard
  SELECT id, workflow_id, lane, status,
    CASE WHEN status NOT IN ('booting', 'running', 'validating') THEN coalesce(terminal_event_id, '') END
  FROM script_runs
  WHERE device_id = (SELECT value ->> '$' FROM settings WHERE key = 'device_id')
    AND workflow_id IS NOT NULL AND lane IS NOT NULL AND status IS NOT NULL;

DROP TRIGGER script_runs_one_active;

CREATE TRIGGER script_runs_guard_start AFTER INSERT ON script_runs
WHEN crsql_internal_sync_bit() = 0
BEGIN
  INSERT INTO run_guard (run_id, workflow_id, lane, status)
  VALUES (NEW.id, NEW.workflow_id, NEW.lane, NEW.status);
END;

-- Also when a merge ends a session of this device: its new owner may end it. A merge never makes an
-- ended session active again.
CREATE TRIGGER script_runs_guard_move AFTER UPDATE OF progress ON script_runs
WHEN crsql_internal_sync_bit() = 0
  OR NEW.status IN ('completed', 'failed', 'suspended', 'canceled', 'timed_out')
BEGIN
  UPDATE run_guard SET status = NEW.status,
    terminal_event_id = CASE WHEN NEW.status NOT IN ('booting', 'running', 'validating')
      THEN coalesce(NEW.terminal_event_id, '') END
  WHERE run_id = NEW.id AND workflow_id = NEW.workflow_id AND lane = NEW.lane
    AND status IN ('booting', 'running', 'validating');
END;

CREATE TRIGGER script_runs_guard_remove AFTER DELETE ON script_runs
BEGIN
  DELETE FROM run_guard WHERE run_id = OLD.id AND terminal_event_id IS NOT NULL;
  DELETE FROM run_guard WHERE run_id = OLD.id AND workflow_id = OLD.workflow_id AND lane = OLD.lane
    AND status IN ('booting', 'running', 'validating');
END;

-- The log of a run is numbered in terms of 2^41 numbers. An append authority counts in its term; the next
-- one starts the next term, so two devices that don't know of each other's records never use one number.
ALTER TABLE run_events ADD COLUMN device_id TEXT GENERATED ALWAYS AS (facts ->> 'device_id') VIRTUAL;

-- Terms in which two devices used the same number after all.
CREATE TABLE run_log_forks (
  run_id TEXT NOT NULL,
  term INTEGER NOT NULL,
  PRIMARY KEY (run_id, term)
) STRICT, WITHOUT ROWID;
INSERT INTO run_log_forks
  SELECT DISTINCT run_id, run_seq >> 41 FROM run_events WHERE run_seq IS NOT NULL
  GROUP BY run_id, run_seq HAVING count(*) > 1;

CREATE TRIGGER run_events_fork AFTER INSERT ON run_events
WHEN crsql_internal_sync_bit() = 1 AND EXISTS (
  SELECT 1 FROM run_events WHERE run_id = NEW.run_id AND run_seq = NEW.run_seq
    AND idempotency_key <> NEW.idempotency_key)
BEGIN
  INSERT INTO run_log_forks SELECT NEW.run_id, NEW.run_seq >> 41
  WHERE NOT EXISTS (
    SELECT 1 FROM run_log_forks WHERE run_id = NEW.run_id AND term = NEW.run_seq >> 41);
END;

CREATE TRIGGER run_events_fork_completed AFTER UPDATE ON run_events
WHEN crsql_internal_sync_bit() = 1 AND EXISTS (
  SELECT 1 FROM run_events WHERE run_id = NEW.run_id AND run_seq = NEW.run_seq
    AND idempotency_key <> NEW.idempotency_key)
BEGIN
  INSERT INTO run_log_forks SELECT NEW.run_id, NEW.run_seq >> 41
  WHERE NOT EXISTS (
    SELECT 1 FROM run_log_forks WHERE run_id = NEW.run_id AND term = NEW.run_seq >> 41);
END;

CREATE TRIGGER run_events_fork_removed AFTER DELETE ON run_events
BEGIN DELETE FROM run_log_forks WHERE run_id = OLD.run_id; END;

-- As `append` in src-main/store/tables/run-log.ts numbers it.
DROP TRIGGER run_events_next_seq;
CREATE TRIGGER run_events_next_seq BEFORE INSERT ON run_events
WHEN crsql_internal_sync_bit() = 0 AND NEW.run_seq IS NOT coalesce((
  SELECT CASE
    WHEN run_seq >> 41 < 4095 AND (
      (device_id IS NOT NULL AND NEW.device_id IS NOT NULL AND device_id <> NEW.device_id)
      OR EXISTS (SELECT 1 FROM run_log_forks f
        WHERE f.run_id = NEW.run_id AND f.term = run_events.run_seq >> 41))
    THEN ((run_seq >> 41) + 1 << 41) + 1 ELSE run_seq + 1 END
  FROM run_events WHERE run_id = NEW.run_id AND run_seq < 9007199254740992
  ORDER BY run_seq DESC LIMIT 1), 1)
BEGIN SELECT RAISE(ABORT, 'run_seq: not the next number of this run'); END;
