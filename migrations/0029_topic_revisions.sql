-- Local: a number that grows whenever an event of a topic becomes pending or changes while it is
-- pending, by any write, merges included. A consumer that reserved nothing stores the revisions that
-- it saw, and is due again when one of them has grown.
CREATE TABLE topic_revisions (
  topic_id TEXT NOT NULL PRIMARY KEY,
  revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER events_revise_topic_on_insert AFTER INSERT ON events
WHEN NEW.status IS 'pending' AND NEW.topic_id IS NOT NULL
BEGIN
  INSERT INTO topic_revisions (topic_id, revision) VALUES (NEW.topic_id, 1)
  ON CONFLICT (topic_id) DO UPDATE SET revision = revision + 1;
END;

CREATE TRIGGER events_revise_topic_on_update AFTER UPDATE OF facts, content, progress ON events
WHEN NEW.status IS 'pending' AND NEW.topic_id IS NOT NULL
BEGIN
  INSERT INTO topic_revisions (topic_id, revision) VALUES (NEW.topic_id, 1)
  ON CONFLICT (topic_id) DO UPDATE SET revision = revision + 1;
END;

ALTER TABLE consumer_wakes ADD COLUMN seen TEXT CHECK (seen IS NULL OR json_valid(seen));
