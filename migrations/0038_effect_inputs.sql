-- Spec 004: a side effect is identified by its organization and effect id, and linked to every input
-- that it serves. cr-sqlite can't change a key, so the table is made again. Two devices that migrate the
-- same rows write the same rows.
--
-- cr-sqlite derives the database version from the rows of all synced tables. Reserved here, before the old
-- table goes, so that it never falls below a version that a peer has seen.
SELECT crsql_next_db_version();

CREATE TABLE effects_before_0038 (
  effect_id TEXT NOT NULL PRIMARY KEY,
  organization_id TEXT NOT NULL,
  facts TEXT NOT NULL,
  response_json TEXT NOT NULL
) STRICT;
INSERT INTO effects_before_0038
  SELECT effect_id,
    coalesce(organization_id, (SELECT value ->> '$' FROM settings WHERE key = 'space_id'), ''),
    facts, response_json
  FROM automation_side_effects;

-- Archived effects. Their organization is gone with the row; devices of one space agree on this one.
CREATE TABLE archived_before_0038 (effect_id TEXT NOT NULL PRIMARY KEY, organization_id TEXT NOT NULL) STRICT;
INSERT INTO archived_before_0038
  SELECT effect_id, coalesce((SELECT value ->> '$' FROM settings WHERE key = 'space_id'), '')
  FROM automation_side_effects__crsql_pks
  WHERE effect_id NOT IN (SELECT effect_id FROM effects_before_0038);

SELECT crsql_as_table('automation_side_effects');
DROP TABLE automation_side_effects;

CREATE TABLE automation_side_effects (
  effect_id TEXT NOT NULL, -- first, because the change feed names a row by the first part of its key
  organization_id TEXT NOT NULL,
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  response_json TEXT NOT NULL DEFAULT 'null' CHECK (json_valid(response_json)),
  run_id TEXT GENERATED ALWAYS AS (facts ->> 'run_id') VIRTUAL, -- the oldest of its inputs
  handler_run_id TEXT GENERATED ALWAYS AS (facts ->> 'handler_run_id') VIRTUAL,
  kind TEXT GENERATED ALWAYS AS (facts ->> 'kind') VIRTUAL,
  provider TEXT GENERATED ALWAYS AS (facts ->> 'provider') VIRTUAL,
  created_at INTEGER GENERATED ALWAYS AS (facts ->> 'created_at') VIRTUAL,
  PRIMARY KEY (effect_id, organization_id)
) STRICT;
SELECT crsql_as_crr('automation_side_effects');
CREATE INDEX idx_automation_side_effects_run ON automation_side_effects (run_id, created_at);

-- All inputs of an effect that serves more than one. Rows are only added, so devices that learn of
-- different ones end up with all of them.
CREATE TABLE automation_side_effect_runs (
  effect_id TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  PRIMARY KEY (effect_id, organization_id, run_id)
) STRICT;
SELECT crsql_as_crr('automation_side_effect_runs');
CREATE INDEX idx_automation_side_effect_runs_run ON automation_side_effect_runs (run_id);

INSERT INTO automation_side_effects (effect_id, organization_id, facts, response_json)
  SELECT effect_id, organization_id, facts, response_json FROM effects_before_0038;
-- A deleted row stays deleted when a device that still has it syncs.
INSERT INTO automation_side_effects (effect_id, organization_id)
  SELECT effect_id, organization_id FROM archived_before_0038;
DELETE FROM automation_side_effects WHERE effect_id IN (SELECT effect_id FROM archived_before_0038);
DROP TABLE effects_before_0038;
DROP TABLE archived_before_0038;

INSERT INTO automation_side_effect_runs
  SELECT DISTINCT s.effect_id, s.organization_id, a.id
  FROM automation_side_effects AS s
  JOIN reservations AS r ON r.handler_run_id = s.handler_run_id
  JOIN events AS e ON e.id = r.event_id
  JOIN automation_runs AS a ON a.trigger_event_id = e.caused_by
  WHERE a.id <> s.run_id;
INSERT INTO automation_side_effect_runs
  SELECT DISTINCT s.effect_id, s.organization_id, a.id
  FROM automation_side_effects AS s
  JOIN reservations AS r ON r.handler_run_id = s.handler_run_id
  JOIN event_causes AS c ON c.event_id = r.event_id
  JOIN automation_runs AS a ON a.trigger_event_id = c.input_id
  WHERE a.id <> s.run_id
  ON CONFLICT DO NOTHING;
INSERT INTO automation_side_effect_runs
  SELECT effect_id, organization_id, run_id FROM automation_side_effects AS s
  WHERE EXISTS (SELECT 1 FROM automation_side_effect_runs AS r
    WHERE r.effect_id = s.effect_id AND r.organization_id = s.organization_id)
  ON CONFLICT DO NOTHING;

CREATE TRIGGER automation_side_effects_are_final BEFORE UPDATE ON automation_side_effects
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: automation_side_effects'); END;

CREATE TRIGGER automation_side_effects_are_kept BEFORE DELETE ON automation_side_effects
WHEN crsql_internal_sync_bit() = 0 AND NOT EXISTS (SELECT 1 FROM archiving)
BEGIN SELECT RAISE(ABORT, 'immutable: automation_side_effects'); END;

CREATE TRIGGER automation_side_effects_archived AFTER DELETE ON automation_side_effects
BEGIN
  INSERT INTO archived_rows (kind, content) VALUES ('automation_side_effects', json_object('effect_id', OLD.effect_id, 'organization_id', OLD.organization_id, 'facts', OLD.facts, 'response_json', OLD.response_json));
END;

CREATE TRIGGER automation_side_effect_runs_are_final BEFORE UPDATE ON automation_side_effect_runs
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: automation_side_effect_runs'); END;

CREATE TRIGGER automation_side_effect_runs_are_kept BEFORE DELETE ON automation_side_effect_runs
WHEN crsql_internal_sync_bit() = 0 AND NOT EXISTS (SELECT 1 FROM archiving)
BEGIN SELECT RAISE(ABORT, 'immutable: automation_side_effect_runs'); END;

CREATE TRIGGER automation_side_effect_runs_archived AFTER DELETE ON automation_side_effect_runs
BEGIN
  INSERT INTO archived_rows (kind, content) VALUES ('automation_side_effect_runs', json_object('effect_id', OLD.effect_id, 'organization_id', OLD.organization_id, 'run_id', OLD.run_id));
END;
