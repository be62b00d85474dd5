-- Old inputs are archived like the rest of the history (0023), with their automation runs and side
-- effects.
DROP TRIGGER trigger_events_are_kept;
CREATE TRIGGER trigger_events_are_kept BEFORE DELETE ON trigger_events
WHEN crsql_internal_sync_bit() = 0 AND NOT EXISTS (SELECT 1 FROM archiving)
BEGIN SELECT RAISE(ABORT, 'immutable: trigger_events'); END;

CREATE TRIGGER trigger_events_archived AFTER DELETE ON trigger_events
BEGIN
  INSERT INTO archived_rows (kind, content) VALUES ('trigger_events', json_object('id', OLD.id, 'facts', OLD.facts, 'raw_payload', OLD.raw_payload));
END;

-- A repeated input remains a duplicate after it was archived.
CREATE TRIGGER trigger_events_are_not_reborn BEFORE INSERT ON trigger_events
WHEN crsql_internal_sync_bit() = 0
  AND EXISTS (SELECT 1 FROM trigger_events__crsql_pks WHERE id = NEW.id)
  AND NOT EXISTS (SELECT 1 FROM trigger_events WHERE id = NEW.id)
BEGIN SELECT RAISE(IGNORE); END;

DROP TRIGGER automation_runs_are_kept;
CREATE TRIGGER automation_runs_are_kept BEFORE DELETE ON automation_runs
WHEN crsql_internal_sync_bit() = 0 AND NOT EXISTS (SELECT 1 FROM archiving)
BEGIN SELECT RAISE(ABORT, 'immutable: automation_runs'); END;

CREATE TRIGGER automation_runs_archived AFTER DELETE ON automation_runs
BEGIN
  INSERT INTO archived_rows (kind, content) VALUES ('automation_runs', json_object('id', OLD.id, 'facts', OLD.facts, 'progress', OLD.progress, 'artifacts', OLD.artifacts, 'session', OLD.session, 'stopping', OLD.stopping, 'completion', OLD.completion, 'completion_artifact_ref', OLD.completion_artifact_ref));
END;

DROP TRIGGER automation_side_effects_are_kept;
CREATE TRIGGER automation_side_effects_are_kept BEFORE DELETE ON automation_side_effects
WHEN crsql_internal_sync_bit() = 0 AND NOT EXISTS (SELECT 1 FROM archiving)
BEGIN SELECT RAISE(ABORT, 'immutable: automation_side_effects'); END;

CREATE TRIGGER automation_side_effects_archived AFTER DELETE ON automation_side_effects
BEGIN
  INSERT INTO archived_rows (kind, content) VALUES ('automation_side_effects', json_object('effect_id', OLD.effect_id, 'facts', OLD.facts, 'response_json', OLD.response_json));
END;

-- The time of acceptance, so that the row can be deleted once a replay is no longer possible.
ALTER TABLE hook_proofs ADD COLUMN taken_at INTEGER NOT NULL DEFAULT 0;
UPDATE hook_proofs SET taken_at = coalesce(
  (SELECT created_at FROM trigger_events WHERE id = hook_proofs.trigger_event_id), 0);
