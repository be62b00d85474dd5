-- An event is found by its topic and message id, also if its id is not the hash of them.
CREATE INDEX idx_events_message ON events (topic_id, message_id);
