-- The artifacts that handlers and people attached to inputs. Synced: name, type, size and hash. The
-- content is a file of the device that made it, fetched by other devices when somebody opens it.
CREATE TABLE artifacts (
  id TEXT NOT NULL PRIMARY KEY, -- hash(run_id, name, cause)
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  run_id TEXT GENERATED ALWAYS AS (facts ->> 'run_id') VIRTUAL, -- the automation run
  created_at INTEGER GENERATED ALWAYS AS (facts ->> 'created_at') VIRTUAL
) STRICT;
SELECT crsql_as_crr('artifacts');
CREATE INDEX idx_artifacts_run ON artifacts (run_id, created_at, id);

CREATE TRIGGER artifacts_are_final BEFORE UPDATE ON artifacts
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: artifacts'); END;

CREATE TRIGGER artifacts_are_kept BEFORE DELETE ON artifacts
WHEN crsql_internal_sync_bit() = 0 AND NOT EXISTS (SELECT 1 FROM archiving)
BEGIN SELECT RAISE(ABORT, 'immutable: artifacts'); END;

CREATE TRIGGER artifacts_archived AFTER DELETE ON artifacts
BEGIN
  INSERT INTO archived_rows (kind, content) VALUES ('artifacts', json_object('id', OLD.id, 'facts', OLD.facts));
END;
