-- Synced: which run reserved which event in which attempt. All columns are key, so rows are only added.
CREATE TABLE reservations (
  event_id TEXT NOT NULL,
  attempt_number INTEGER NOT NULL,
  handler_run_id TEXT NOT NULL,
  PRIMARY KEY (event_id, attempt_number, handler_run_id)
) STRICT;
SELECT crsql_as_crr('reservations');
CREATE INDEX idx_reservations_run ON reservations (handler_run_id);

CREATE TRIGGER reservations_are_kept BEFORE DELETE ON reservations
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: reservations'); END;
