-- Local: sync cursors per peer, and the lineages of this database.

-- Version numbers repeat after data loss (a power failure, a restored backup), so they are valid only
-- within a lineage: the changes between one opening of the database and the next.
CREATE TABLE lineages (
  ordinal INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  from_version INTEGER NOT NULL,
  told INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)) -- a peer knows this lineage
) STRICT;

CREATE TABLE peer_cursors (
  peer_id TEXT NOT NULL PRIMARY KEY,
  lineage TEXT NOT NULL, -- of the peer
  version INTEGER NOT NULL CHECK (version >= 0), -- of the peer; all changes up to it are merged
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Local versions that contain only changes of one peer, which are not sent back to it.
CREATE TABLE merged_versions (
  peer_id TEXT NOT NULL,
  from_version INTEGER NOT NULL,
  to_version INTEGER NOT NULL,
  PRIMARY KEY (peer_id, from_version),
  CHECK (from_version <= to_version)
) STRICT, WITHOUT ROWID;

-- Parts of a peer's transaction that is larger than a frame, until the last part arrives.
CREATE TABLE staged_changes (
  peer_id TEXT NOT NULL,
  part INTEGER NOT NULL,
  frame BLOB NOT NULL,
  PRIMARY KEY (peer_id, part)
) STRICT;
