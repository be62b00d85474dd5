-- Local: how far this device has the changes of each peer, and what its own versions are worth.

-- Versions of changes are counted anew after a loss (a power cut, a restored backup). So they hold
-- only within a lineage: what was written between one opening of the database and the next.
CREATE TABLE lineages (
  ordinal INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  from_version INTEGER NOT NULL,
  told INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)) -- a peer has heard of it
) STRICT;

CREATE TABLE peer_cursors (
  peer_id TEXT NOT NULL PRIMARY KEY,
  lineage TEXT NOT NULL, -- of the peer
  version INTEGER NOT NULL CHECK (version >= 0), -- of the peer; everything up to it is here
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Our own versions that hold nothing but what a peer gave us: it need not get them back.
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
