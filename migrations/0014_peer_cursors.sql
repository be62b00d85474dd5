-- Local: the last merged version of each peer, and the lineages of this device's own versions.

-- A loss (a power cut, a restored backup) resets the version counter. So versions are valid only
-- within a lineage: the writes between one opening of the database and the next.
CREATE TABLE lineages (
  ordinal INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  from_version INTEGER NOT NULL,
  told INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)) -- a peer has seen it
) STRICT;

CREATE TABLE peer_cursors (
  peer_id TEXT NOT NULL PRIMARY KEY,
  lineage TEXT NOT NULL, -- of the peer
  version INTEGER NOT NULL CHECK (version >= 0), -- of the peer; everything up to it is here
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Own versions that contain only changes of one peer, and are not sent back to it.
CREATE TABLE merged_versions (
  peer_id TEXT NOT NULL,
  from_version INTEGER NOT NULL,
  to_version INTEGER NOT NULL,
  PRIMARY KEY (peer_id, from_version),
  CHECK (from_version <= to_version)
) STRICT, WITHOUT ROWID;

-- Parts of one transaction of a peer that is larger than a frame, until the last one is here.
CREATE TABLE staged_changes (
  peer_id TEXT NOT NULL,
  part INTEGER NOT NULL,
  frame BLOB NOT NULL,
  PRIMARY KEY (peer_id, part)
) STRICT;
