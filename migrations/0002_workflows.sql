-- Synced: workflows and all versions of their scripts.
-- In every synced table `facts` is written once; each other column changes as one unit.
CREATE TABLE workflows (
  id TEXT NOT NULL PRIMARY KEY,
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  definition TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(definition)),
  draft TEXT CHECK (draft IS NULL OR json_valid(draft)), -- an edited version that has not been activated
  progress TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(progress)),
  consumer_sleep_until INTEGER,
  created_at INTEGER GENERATED ALWAYS AS (facts ->> 'created_at') VIRTUAL,
  created_by_device_id TEXT GENERATED ALWAYS AS (facts ->> 'created_by_device_id') VIRTUAL,
  name TEXT GENERATED ALWAYS AS (definition ->> 'name') VIRTUAL,
  script_id TEXT GENERATED ALWAYS AS (definition ->> 'script_id') VIRTUAL,
  handler_config TEXT GENERATED ALWAYS AS (definition -> 'handler_config') VIRTUAL,
  draft_script_id TEXT GENERATED ALWAYS AS (draft ->> 'script_id') VIRTUAL,
  status TEXT GENERATED ALWAYS AS (progress ->> 'status') VIRTUAL,
  status_reason TEXT GENERATED ALWAYS AS (progress ->> 'reason') VIRTUAL,
  updated_at INTEGER GENERATED ALWAYS AS (progress ->> 'updated_at') VIRTUAL
) STRICT;
SELECT crsql_as_crr('workflows');
CREATE INDEX idx_workflows_created ON workflows (created_at, id);

CREATE TRIGGER workflows_facts_are_final BEFORE UPDATE OF id, facts ON workflows
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: workflows.facts'); END;

CREATE TABLE scripts (
  id TEXT NOT NULL PRIMARY KEY, -- hash(workflow_id, sha): one version is one row on every device
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  workflow_id TEXT GENERATED ALWAYS AS (facts ->> 'workflow_id') VIRTUAL,
  sha TEXT GENERATED ALWAYS AS (facts ->> 'sha') VIRTUAL,
  code TEXT GENERATED ALWAYS AS (facts ->> 'code') VIRTUAL,
  file_name TEXT GENERATED ALWAYS AS (facts ->> 'file_name') VIRTUAL,
  handler_config TEXT GENERATED ALWAYS AS (facts -> 'handler_config') VIRTUAL,
  created_at INTEGER GENERATED ALWAYS AS (facts ->> 'created_at') VIRTUAL
) STRICT;
SELECT crsql_as_crr('scripts');
CREATE INDEX idx_scripts_workflow ON scripts (workflow_id, created_at);

CREATE TRIGGER scripts_are_final BEFORE UPDATE ON scripts
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: scripts'); END;
