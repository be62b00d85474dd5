-- Events are handled in the order in which they came. `created_at` can't say it: it is the clock's time
-- for people and retention, equal within a millisecond and earlier after the clock was set back.
-- `arrival` never goes back on the device that took the event in; `place` counts within it.
ALTER TABLE events ADD COLUMN arrival INTEGER
  GENERATED ALWAYS AS (coalesce(facts ->> 'arrival', facts ->> 'created_at')) VIRTUAL;

DROP INDEX idx_events_topic_status;
CREATE INDEX idx_events_topic_status ON events (topic_id, status, arrival, place, id);
