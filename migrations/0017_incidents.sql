-- Synced: traces that only two owners at once could have left. The id is a hash of the content, so
-- every device that detects one writes the same row.
CREATE TABLE incidents (
  id TEXT NOT NULL PRIMARY KEY, -- hash(kind, workflow_id, about)
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  acknowledged TEXT CHECK (acknowledged IS NULL OR json_valid(acknowledged)),
  kind TEXT GENERATED ALWAYS AS (facts ->> 'kind') VIRTUAL,
  workflow_id TEXT GENERATED ALWAYS AS (facts ->> 'workflow_id') VIRTUAL,
  about TEXT GENERATED ALWAYS AS (facts ->> 'about') VIRTUAL,
  at INTEGER GENERATED ALWAYS AS (facts ->> 'at') VIRTUAL
) STRICT;
SELECT crsql_as_crr('incidents');
CREATE INDEX idx_incidents_open ON incidents (at, id) WHERE acknowledged IS NULL;

CREATE TRIGGER incidents_facts_are_final BEFORE UPDATE OF id, facts ON incidents
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: incidents.facts'); END;

CREATE TRIGGER incidents_are_kept BEFORE DELETE ON incidents
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: incidents'); END;
