-- Local: rows that this device can't act on, each with its reason. The row itself stays where it was
-- merged, because devices must converge; readers leave it out, and the inbox shows it.
CREATE TABLE refused_rows (
  id TEXT NOT NULL PRIMARY KEY, -- table and key
  table_name TEXT NOT NULL, -- 'lane' for a workflow whose own work failed
  row_key TEXT NOT NULL CHECK (json_valid(row_key)), -- the parts of its primary key
  workflow_id TEXT, -- null if the row doesn't say
  device_id TEXT, -- the peer it was merged from; null if it was found later
  reason TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  times INTEGER NOT NULL,
  acknowledged_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_refused_rows_workflow ON refused_rows (workflow_id) WHERE workflow_id IS NOT NULL;
