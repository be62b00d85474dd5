-- Local: old history is archived to files. A row is deleted only while `archiving` has a row, which
-- only the archive job writes, inside its own transaction. Rows deleted here or by a merge are stored in
-- `archived_rows` until they are in a file.
CREATE TABLE archiving (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1)
) STRICT;

CREATE TABLE archived_rows (
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL, -- the table
  content TEXT NOT NULL CHECK (json_valid(content))
) STRICT;

-- A repeated message remains a duplicate after its event was archived: cr-sqlite keeps the keys of
-- deleted rows. IGNORE: the publisher sees that no row was added.
CREATE TRIGGER events_are_not_reborn BEFORE INSERT ON events
WHEN crsql_internal_sync_bit() = 0 AND EXISTS (SELECT 1 FROM events__crsql_pks WHERE id = NEW.id)
  AND NOT EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
BEGIN SELECT RAISE(IGNORE); END;

DROP TRIGGER script_runs_are_kept;
CREATE TRIGGER script_runs_are_kept BEFORE DELETE ON script_runs
WHEN crsql_internal_sync_bit() = 0 AND NOT EXISTS (SELECT 1 FROM archiving)
BEGIN SELECT RAISE(ABORT, 'immutable: script_runs'); END;

CREATE TRIGGER script_runs_archived AFTER DELETE ON script_runs
BEGIN
  INSERT INTO archived_rows (kind, content) VALUES ('script_runs', json_object('id', OLD.id, 'facts', OLD.facts, 'progress', OLD.progress, 'handler_run_count', OLD.handler_run_count));
END;

DROP TRIGGER run_events_are_kept;
CREATE TRIGGER run_events_are_kept BEFORE DELETE ON run_events
WHEN crsql_internal_sync_bit() = 0 AND NOT EXISTS (SELECT 1 FROM archiving)
BEGIN SELECT RAISE(ABORT, 'immutable: run_events'); END;

CREATE TRIGGER run_events_archived AFTER DELETE ON run_events
BEGIN
  INSERT INTO archived_rows (kind, content) VALUES ('run_events', json_object('run_id', OLD.run_id, 'idempotency_key', OLD.idempotency_key, 'facts', OLD.facts));
END;

CREATE TRIGGER events_are_kept BEFORE DELETE ON events
WHEN crsql_internal_sync_bit() = 0 AND NOT EXISTS (SELECT 1 FROM archiving)
BEGIN SELECT RAISE(ABORT, 'immutable: events'); END;

CREATE TRIGGER events_archived AFTER DELETE ON events
BEGIN
  INSERT INTO archived_rows (kind, content) VALUES ('events', json_object('id', OLD.id, 'facts', OLD.facts, 'content', OLD.content, 'progress', OLD.progress));
END;

CREATE TRIGGER handler_runs_are_kept BEFORE DELETE ON handler_runs
WHEN crsql_internal_sync_bit() = 0 AND NOT EXISTS (SELECT 1 FROM archiving)
BEGIN SELECT RAISE(ABORT, 'immutable: handler_runs'); END;

CREATE TRIGGER handler_runs_archived AFTER DELETE ON handler_runs
BEGIN
  INSERT INTO archived_rows (kind, content) VALUES ('handler_runs', json_object('id', OLD.id, 'facts', OLD.facts, 'progress', OLD.progress, 'takeover', OLD.takeover, 'prepare_result', OLD.prepare_result, 'logs', OLD.logs));
END;

DROP TRIGGER mutations_are_kept;
CREATE TRIGGER mutations_are_kept BEFORE DELETE ON mutations
WHEN crsql_internal_sync_bit() = 0 AND NOT EXISTS (SELECT 1 FROM archiving)
BEGIN SELECT RAISE(ABORT, 'immutable: mutations'); END;

CREATE TRIGGER mutations_archived AFTER DELETE ON mutations
BEGIN
  INSERT INTO archived_rows (kind, content) VALUES ('mutations', json_object('id', OLD.id, 'facts', OLD.facts, 'call', OLD.call, 'outcome', OLD.outcome, 'takeover', OLD.takeover));
END;

DROP TRIGGER reservations_are_kept;
CREATE TRIGGER reservations_are_kept BEFORE DELETE ON reservations
WHEN crsql_internal_sync_bit() = 0 AND NOT EXISTS (SELECT 1 FROM archiving)
BEGIN SELECT RAISE(ABORT, 'immutable: reservations'); END;

CREATE TRIGGER reservations_archived AFTER DELETE ON reservations
BEGIN
  INSERT INTO archived_rows (kind, content) VALUES ('reservations', json_object('event_id', OLD.event_id, 'attempt_number', OLD.attempt_number, 'handler_run_id', OLD.handler_run_id));
END;

CREATE TRIGGER resolutions_are_kept BEFORE DELETE ON resolutions
WHEN crsql_internal_sync_bit() = 0 AND NOT EXISTS (SELECT 1 FROM archiving)
BEGIN SELECT RAISE(ABORT, 'immutable: resolutions'); END;

CREATE TRIGGER resolutions_archived AFTER DELETE ON resolutions
BEGIN
  INSERT INTO archived_rows (kind, content) VALUES ('resolutions', json_object('id', OLD.id, 'facts', OLD.facts, 'outcome', OLD.outcome));
END;

DROP TRIGGER intents_are_kept;
CREATE TRIGGER intents_are_kept BEFORE DELETE ON intents
WHEN crsql_internal_sync_bit() = 0 AND NOT EXISTS (SELECT 1 FROM archiving)
BEGIN SELECT RAISE(ABORT, 'immutable: intents'); END;

CREATE TRIGGER intents_archived AFTER DELETE ON intents
BEGIN
  INSERT INTO archived_rows (kind, content) VALUES ('intents', json_object('id', OLD.id, 'facts', OLD.facts, 'outcome', OLD.outcome));
END;
