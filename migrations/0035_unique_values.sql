-- The UNIQUE rules of spec 002. A synced table can have no UNIQUE except its key, so these triggers look
-- for another row with the same values. Local writes only: a merge must take every row of a peer.

CREATE TRIGGER topics_unique AFTER INSERT ON topics
WHEN crsql_internal_sync_bit() = 0 AND EXISTS (
  SELECT 1 FROM topics
  WHERE workflow_id = NEW.workflow_id AND name = NEW.name AND id <> NEW.id)
BEGIN SELECT RAISE(ABORT, 'not unique: topics.workflow_id, topics.name'); END;

CREATE TRIGGER events_unique AFTER INSERT ON events
WHEN crsql_internal_sync_bit() = 0 AND EXISTS (
  SELECT 1 FROM events
  WHERE topic_id = NEW.topic_id AND message_id = NEW.message_id AND id <> NEW.id)
BEGIN SELECT RAISE(ABORT, 'not unique: events.topic_id, events.message_id'); END;

CREATE TRIGGER mutations_unique AFTER INSERT ON mutations
WHEN crsql_internal_sync_bit() = 0 AND EXISTS (
  SELECT 1 FROM mutations WHERE handler_run_id = NEW.handler_run_id AND id <> NEW.id)
BEGIN SELECT RAISE(ABORT, 'not unique: mutations.handler_run_id'); END;

CREATE TRIGGER handler_state_unique AFTER INSERT ON handler_state
WHEN crsql_internal_sync_bit() = 0 AND EXISTS (
  SELECT 1 FROM handler_state
  WHERE workflow_id = NEW.workflow_id AND handler_name = NEW.handler_name AND id <> NEW.id)
BEGIN SELECT RAISE(ABORT, 'not unique: handler_state.workflow_id, handler_state.handler_name'); END;
