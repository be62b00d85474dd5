-- Spec 002. Synced: the state that a handler returns and gets back in its next run.
CREATE TABLE handler_state (
  id TEXT NOT NULL PRIMARY KEY, -- hash(workflow_id, handler_name)
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  value TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(value)),
  workflow_id TEXT GENERATED ALWAYS AS (facts ->> 'workflow_id') VIRTUAL,
  handler_name TEXT GENERATED ALWAYS AS (facts ->> 'handler_name') VIRTUAL,
  state TEXT GENERATED ALWAYS AS (value -> 'state') VIRTUAL,
  updated_at INTEGER GENERATED ALWAYS AS (value ->> 'updated_at') VIRTUAL,
  updated_by_run_id TEXT GENERATED ALWAYS AS (value ->> 'updated_by_run_id') VIRTUAL
) STRICT;
SELECT crsql_as_crr('handler_state');
CREATE INDEX idx_handler_state_workflow ON handler_state (workflow_id, handler_name);

CREATE TRIGGER handler_state_facts_are_final BEFORE UPDATE OF id, facts ON handler_state
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: handler_state.facts'); END;
