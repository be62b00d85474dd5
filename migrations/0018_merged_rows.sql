-- Local: merged rows that were not checked for incidents yet. Written in the transaction of the merge,
-- so a crash before the check cannot hide an incident.
CREATE TABLE merged_rows (
  kind TEXT NOT NULL, -- the table
  id TEXT NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

-- Not OR IGNORE: the conflict handling of the statement that fires a trigger takes precedence.
CREATE TRIGGER workflows_merged AFTER INSERT ON workflows
WHEN crsql_internal_sync_bit() = 1
BEGIN
  INSERT INTO merged_rows SELECT 'workflows', NEW.id
  WHERE NOT EXISTS (SELECT 1 FROM merged_rows WHERE kind = 'workflows' AND id = NEW.id);
END;

CREATE TRIGGER events_merged AFTER INSERT ON events
WHEN crsql_internal_sync_bit() = 1
BEGIN
  INSERT INTO merged_rows SELECT 'events', NEW.id
  WHERE NOT EXISTS (SELECT 1 FROM merged_rows WHERE kind = 'events' AND id = NEW.id);
END;

CREATE TRIGGER events_merge_changed AFTER UPDATE OF progress ON events
WHEN crsql_internal_sync_bit() = 1
BEGIN
  INSERT INTO merged_rows SELECT 'events', NEW.id
  WHERE NOT EXISTS (SELECT 1 FROM merged_rows WHERE kind = 'events' AND id = NEW.id);
END;

CREATE TRIGGER reservations_merged AFTER INSERT ON reservations
WHEN crsql_internal_sync_bit() = 1
BEGIN
  INSERT INTO merged_rows SELECT 'reservations', NEW.event_id
  WHERE NOT EXISTS (SELECT 1 FROM merged_rows WHERE kind = 'reservations' AND id = NEW.event_id);
END;

CREATE TRIGGER handler_runs_merged AFTER INSERT ON handler_runs
WHEN crsql_internal_sync_bit() = 1
BEGIN
  INSERT INTO merged_rows SELECT 'handler_runs', NEW.id
  WHERE NOT EXISTS (SELECT 1 FROM merged_rows WHERE kind = 'handler_runs' AND id = NEW.id);
END;

CREATE TRIGGER handler_runs_merge_changed AFTER UPDATE OF progress, takeover ON handler_runs
WHEN crsql_internal_sync_bit() = 1
BEGIN
  INSERT INTO merged_rows SELECT 'handler_runs', NEW.id
  WHERE NOT EXISTS (SELECT 1 FROM merged_rows WHERE kind = 'handler_runs' AND id = NEW.id);
END;

CREATE TRIGGER mutations_merged AFTER INSERT ON mutations
WHEN crsql_internal_sync_bit() = 1
BEGIN
  INSERT INTO merged_rows SELECT 'mutations', NEW.id
  WHERE NOT EXISTS (SELECT 1 FROM merged_rows WHERE kind = 'mutations' AND id = NEW.id);
END;

CREATE TRIGGER mutations_merge_changed AFTER UPDATE OF outcome, takeover ON mutations
WHEN crsql_internal_sync_bit() = 1
BEGIN
  INSERT INTO merged_rows SELECT 'mutations', NEW.id
  WHERE NOT EXISTS (SELECT 1 FROM merged_rows WHERE kind = 'mutations' AND id = NEW.id);
END;

CREATE TRIGGER ownership_claims_merged AFTER INSERT ON ownership_claims
WHEN crsql_internal_sync_bit() = 1
BEGIN
  INSERT INTO merged_rows SELECT 'ownership_claims', NEW.workflow_id
  WHERE NOT EXISTS (SELECT 1 FROM merged_rows WHERE kind = 'ownership_claims' AND id = NEW.workflow_id);
END;

CREATE TRIGGER ownership_claims_merge_changed AFTER UPDATE OF release ON ownership_claims
WHEN crsql_internal_sync_bit() = 1
BEGIN
  INSERT INTO merged_rows SELECT 'ownership_claims', NEW.workflow_id
  WHERE NOT EXISTS (SELECT 1 FROM merged_rows WHERE kind = 'ownership_claims' AND id = NEW.workflow_id);
END;

CREATE TRIGGER resolutions_merged AFTER INSERT ON resolutions
WHEN crsql_internal_sync_bit() = 1
BEGIN
  INSERT INTO merged_rows SELECT 'resolutions', NEW.id
  WHERE NOT EXISTS (SELECT 1 FROM merged_rows WHERE kind = 'resolutions' AND id = NEW.id);
END;

CREATE TRIGGER intents_merged AFTER INSERT ON intents
WHEN crsql_internal_sync_bit() = 1
BEGIN
  INSERT INTO merged_rows SELECT 'intents', NEW.id
  WHERE NOT EXISTS (SELECT 1 FROM merged_rows WHERE kind = 'intents' AND id = NEW.id);
END;
