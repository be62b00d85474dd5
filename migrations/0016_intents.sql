-- Synced: requests of people to a workflow, from any device. The owner carries them out and records the outcome.
CREATE TABLE intents (
  id TEXT NOT NULL PRIMARY KEY,
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  outcome TEXT NOT NULL DEFAULT '{"status":"waiting"}' CHECK (json_valid(outcome)),
  workflow_id TEXT GENERATED ALWAYS AS (facts ->> 'workflow_id') VIRTUAL,
  kind TEXT GENERATED ALWAYS AS (facts -> 'wish' ->> 'kind') VIRTUAL,
  wish TEXT GENERATED ALWAYS AS (facts -> 'wish') VIRTUAL,
  device_id TEXT GENERATED ALWAYS AS (facts ->> 'device_id') VIRTUAL,
  created_at INTEGER GENERATED ALWAYS AS (facts ->> 'created_at') VIRTUAL,
  status TEXT GENERATED ALWAYS AS (outcome ->> 'status') VIRTUAL,
  message TEXT GENERATED ALWAYS AS (outcome ->> 'message') VIRTUAL,
  decided_at INTEGER GENERATED ALWAYS AS (outcome ->> 'at') VIRTUAL,
  decided_by TEXT GENERATED ALWAYS AS (outcome ->> 'device_id') VIRTUAL
) STRICT;
SELECT crsql_as_crr('intents');
CREATE INDEX idx_intents_waiting ON intents (workflow_id, created_at, id) WHERE status = 'waiting';
CREATE INDEX idx_intents_workflow ON intents (workflow_id, created_at DESC, id DESC);
CREATE INDEX idx_intents_created ON intents (created_at DESC, id DESC);

CREATE TRIGGER intents_facts_are_final BEFORE UPDATE OF id, facts ON intents
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: intents.facts'); END;

CREATE TRIGGER intents_are_kept BEFORE DELETE ON intents
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: intents'); END;

CREATE TRIGGER intents_decided_once BEFORE UPDATE OF outcome ON intents
WHEN crsql_internal_sync_bit() = 0 AND OLD.status IS NOT 'waiting'
BEGIN SELECT RAISE(ABORT, 'immutable: intents.outcome'); END;
