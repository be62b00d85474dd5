-- Spec 004: the payload as it was received, sealed with a key of this device. Local: it is never synced.
-- The synced column `trigger_events.raw_payload` has the redacted one.
CREATE TABLE raw_payloads (
  input_id TEXT NOT NULL PRIMARY KEY,
  received_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  key_id TEXT NOT NULL, -- names the key, so that a lost one can be told from a damaged row
  sealed BLOB NOT NULL
) STRICT;
CREATE INDEX idx_raw_payloads_received ON raw_payloads (received_at);

-- Also when another device archives the input.
CREATE TRIGGER raw_payloads_leave AFTER DELETE ON trigger_events
BEGIN DELETE FROM raw_payloads WHERE input_id = OLD.id; END;
