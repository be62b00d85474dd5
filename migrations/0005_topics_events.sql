-- Spec 002. Synced: topics and the events in them.
CREATE TABLE topics (
  id TEXT NOT NULL PRIMARY KEY, -- hash(workflow_id, name)
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  workflow_id TEXT GENERATED ALWAYS AS (facts ->> 'workflow_id') VIRTUAL,
  name TEXT GENERATED ALWAYS AS (facts ->> 'name') VIRTUAL,
  created_at INTEGER GENERATED ALWAYS AS (facts ->> 'created_at') VIRTUAL
) STRICT;
SELECT crsql_as_crr('topics');
CREATE INDEX idx_topics_workflow ON topics (workflow_id, name);

CREATE TRIGGER topics_are_final BEFORE UPDATE ON topics
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: topics'); END;

CREATE TABLE events (
  id TEXT NOT NULL PRIMARY KEY, -- hash(topic_id, message_id)
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  content TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(content)),
  progress TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(progress)),
  topic_id TEXT GENERATED ALWAYS AS (facts ->> 'topic_id') VIRTUAL,
  workflow_id TEXT GENERATED ALWAYS AS (facts ->> 'workflow_id') VIRTUAL,
  message_id TEXT GENERATED ALWAYS AS (facts ->> 'message_id') VIRTUAL,
  created_by_run_id TEXT GENERATED ALWAYS AS (facts ->> 'created_by_run_id') VIRTUAL,
  caused_by TEXT GENERATED ALWAYS AS (facts ->> 'caused_by') VIRTUAL,
  created_at INTEGER GENERATED ALWAYS AS (facts ->> 'created_at') VIRTUAL,
  place INTEGER GENERATED ALWAYS AS (coalesce(facts ->> 'place', 0)) VIRTUAL, -- position among the events of one run
  title TEXT GENERATED ALWAYS AS (content ->> 'title') VIRTUAL,
  payload TEXT GENERATED ALWAYS AS (content -> 'payload') VIRTUAL,
  status TEXT GENERATED ALWAYS AS (progress ->> 'status') VIRTUAL,
  reserved_by_run_id TEXT GENERATED ALWAYS AS (progress ->> 'reserved_by_run_id') VIRTUAL,
  skip_reason TEXT GENERATED ALWAYS AS (progress ->> 'skip_reason') VIRTUAL,
  attempt_number INTEGER GENERATED ALWAYS AS (progress ->> 'attempt_number') VIRTUAL,
  updated_at INTEGER GENERATED ALWAYS AS (progress ->> 'updated_at') VIRTUAL
) STRICT;
SELECT crsql_as_crr('events');
-- Covers the peek (oldest pending first): the cost grows with pending events, not with the history.
CREATE INDEX idx_events_topic_status ON events (topic_id, status, created_at, place, id);
CREATE INDEX idx_events_workflow ON events (workflow_id);
-- Events set aside after failures, for the inbox.
CREATE INDEX idx_events_skip_reason ON events (skip_reason, workflow_id) WHERE skip_reason IS NOT NULL;
CREATE INDEX idx_events_created_by ON events (created_by_run_id) WHERE created_by_run_id IS NOT NULL;
CREATE INDEX idx_events_reserved_by ON events (reserved_by_run_id) WHERE status = 'reserved';

CREATE TRIGGER events_facts_are_final BEFORE UPDATE OF id, facts ON events
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: events.facts'); END;

CREATE TRIGGER events_start_pending BEFORE INSERT ON events
WHEN crsql_internal_sync_bit() = 0 AND NEW.status IS NOT 'pending'
BEGIN SELECT RAISE(ABORT, 'illegal transition: events starts as ' || coalesce(NEW.status, 'nothing')); END;

-- The content that a prepare has read does not change.
CREATE TRIGGER events_content_while_pending BEFORE UPDATE OF content ON events
WHEN crsql_internal_sync_bit() = 0 AND OLD.status IS NOT 'pending'
BEGIN SELECT RAISE(ABORT, 'immutable: events.content of an event that is not pending'); END;

CREATE TRIGGER events_legal BEFORE UPDATE OF progress ON events
WHEN crsql_internal_sync_bit() = 0 AND (coalesce(OLD.status, ''), coalesce(NEW.status, '')) NOT IN (VALUES
  ('pending', 'reserved'), ('pending', 'skipped'),
  ('reserved', 'pending'), ('reserved', 'consumed'), ('reserved', 'skipped'),
  ('consumed', 'pending'), ('skipped', 'pending'))
BEGIN SELECT RAISE(ABORT, 'illegal transition: events ' || coalesce(OLD.status, 'nothing') || ' -> ' || coalesce(NEW.status, 'nothing')); END;
