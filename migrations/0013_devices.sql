-- Synced: the devices of a space. Each device writes only its own row, so names never conflict.
CREATE TABLE devices (
  id TEXT NOT NULL PRIMARY KEY, -- hash of its public key
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  profile TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(profile)),
  key_hash TEXT GENERATED ALWAYS AS (facts ->> 'key_hash') VIRTUAL,
  created_at INTEGER GENERATED ALWAYS AS (facts ->> 'created_at') VIRTUAL,
  name TEXT GENERATED ALWAYS AS (profile ->> 'name') VIRTUAL,
  updated_at INTEGER GENERATED ALWAYS AS (profile ->> 'updated_at') VIRTUAL
) STRICT;
SELECT crsql_as_crr('devices');

CREATE TRIGGER devices_facts_are_final BEFORE UPDATE OF id, facts ON devices
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: devices.facts'); END;

CREATE TRIGGER devices_add_themselves BEFORE INSERT ON devices
WHEN crsql_internal_sync_bit() = 0
  AND NEW.id IS NOT (SELECT value ->> '$' FROM settings WHERE key = 'device_id')
BEGIN SELECT RAISE(ABORT, 'not ours: devices'); END;

CREATE TRIGGER devices_describe_themselves BEFORE UPDATE OF profile ON devices
WHEN crsql_internal_sync_bit() = 0
  AND NEW.id IS NOT (SELECT value ->> '$' FROM settings WHERE key = 'device_id')
BEGIN SELECT RAISE(ABORT, 'not ours: devices.profile'); END;

CREATE TRIGGER devices_are_kept BEFORE DELETE ON devices
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: devices'); END;

-- Local: the peers of this device. A pairing is between two keys and is not synced.
CREATE TABLE peers (
  device_id TEXT NOT NULL PRIMARY KEY,
  key_hash TEXT NOT NULL UNIQUE, -- the pin
  name TEXT NOT NULL, -- its name when it was paired
  addresses TEXT NOT NULL CHECK (json_valid(addresses)), -- last known addresses
  paired_at INTEGER NOT NULL,
  paired_by TEXT NOT NULL CHECK (paired_by IN ('link', 'comparison')),
  last_seen_at INTEGER,
  unpaired_at INTEGER,
  unpaired_by TEXT CHECK (unpaired_by IN ('us', 'them')),
  told_at INTEGER, -- when the peer was notified that it was unpaired
  CHECK ((unpaired_at IS NULL) = (unpaired_by IS NULL)),
  CHECK (told_at IS NULL OR unpaired_at IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER peers_pin_is_final BEFORE UPDATE OF device_id, key_hash ON peers
WHEN NEW.device_id IS NOT OLD.device_id OR NEW.key_hash IS NOT OLD.key_hash
BEGIN SELECT RAISE(ABORT, 'immutable: peers.key_hash'); END;
