-- Synced: decisions of people on effects with an unknown outcome. Written on any device, carried out
-- by the owner; the first one wins.
CREATE TABLE resolutions (
  id TEXT NOT NULL PRIMARY KEY,
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  outcome TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(outcome)),
  mutation_id TEXT GENERATED ALWAYS AS (facts ->> 'mutation_id') VIRTUAL,
  workflow_id TEXT GENERATED ALWAYS AS (facts ->> 'workflow_id') VIRTUAL,
  resolution TEXT GENERATED ALWAYS AS (facts ->> 'resolution') VIRTUAL,
  result TEXT GENERATED ALWAYS AS (facts -> 'result') VIRTUAL,
  note TEXT GENERATED ALWAYS AS (facts ->> 'note') VIRTUAL,
  device_id TEXT GENERATED ALWAYS AS (facts ->> 'device_id') VIRTUAL,
  created_at INTEGER GENERATED ALWAYS AS (facts ->> 'created_at') VIRTUAL,
  status TEXT GENERATED ALWAYS AS (outcome ->> 'status') VIRTUAL,
  message TEXT GENERATED ALWAYS AS (outcome ->> 'message') VIRTUAL,
  decided_at INTEGER GENERATED ALWAYS AS (outcome ->> 'at') VIRTUAL
) STRICT;
SELECT crsql_as_crr('resolutions');
CREATE INDEX idx_resolutions_mutation ON resolutions (mutation_id, created_at, id);
CREATE INDEX idx_resolutions_waiting ON resolutions (workflow_id) WHERE status = 'waiting';

CREATE TRIGGER resolutions_facts_are_final BEFORE UPDATE OF id, facts ON resolutions
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: resolutions.facts'); END;

CREATE TRIGGER resolutions_decided_once BEFORE UPDATE OF outcome ON resolutions
WHEN crsql_internal_sync_bit() = 0 AND OLD.status IS NOT 'waiting'
BEGIN SELECT RAISE(ABORT, 'immutable: resolutions.outcome'); END;
