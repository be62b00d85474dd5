-- Local: when handlers are due on this device.
CREATE TABLE producer_schedules (
  workflow_id TEXT NOT NULL,
  producer TEXT NOT NULL,
  schedule TEXT NOT NULL CHECK (json_valid(schedule)), -- a change recomputes next_run_at
  next_run_at INTEGER,
  last_slot_at INTEGER,
  PRIMARY KEY (workflow_id, producer)
) STRICT, WITHOUT ROWID;

CREATE TABLE consumer_wakes (
  workflow_id TEXT NOT NULL,
  consumer TEXT NOT NULL,
  wake_at INTEGER, -- requested wake time
  not_before INTEGER, -- backoff after a failure
  retry_of TEXT, -- the run that failed last
  failures INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (workflow_id, consumer)
) STRICT, WITHOUT ROWID;
