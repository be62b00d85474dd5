-- Local: the inputs of an event besides `caused_by`, derived from its facts by any write, merges
-- included. An event that a run published after taking events of several inputs belongs to all of them.
CREATE TABLE event_causes (
  input_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  PRIMARY KEY (input_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER events_list_causes_on_insert AFTER INSERT ON events
WHEN NEW.facts -> 'also_caused_by' IS NOT NULL
BEGIN
  INSERT OR IGNORE INTO event_causes (input_id, event_id)
  SELECT value, NEW.id FROM json_each(NEW.facts, '$.also_caused_by') WHERE value IS NOT NULL;
END;

CREATE TRIGGER events_list_causes_on_update AFTER UPDATE OF facts ON events
WHEN NEW.facts -> 'also_caused_by' IS NOT NULL
BEGIN
  INSERT OR IGNORE INTO event_causes (input_id, event_id)
  SELECT value, NEW.id FROM json_each(NEW.facts, '$.also_caused_by') WHERE value IS NOT NULL;
END;

CREATE TRIGGER events_forget_causes AFTER DELETE ON events
WHEN OLD.facts -> 'also_caused_by' IS NOT NULL
BEGIN
  DELETE FROM event_causes WHERE event_id = OLD.id
    AND input_id IN (SELECT value FROM json_each(OLD.facts, '$.also_caused_by'));
END;
