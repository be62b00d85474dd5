-- Local: grants of a workflow on this device, and the file that it was read from.
CREATE TABLE grants (
  workflow_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (json_valid(scope)),
  granted_at INTEGER NOT NULL,
  PRIMARY KEY (workflow_id, tool)
) STRICT, WITHOUT ROWID;

CREATE TABLE workflow_files (
  workflow_id TEXT NOT NULL PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  added_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
