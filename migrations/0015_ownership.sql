-- Synced: claims of ownership. The highest epoch owns; a device writes only its own claims.
CREATE TABLE ownership_claims (
  workflow_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  device_id TEXT NOT NULL,
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  release TEXT CHECK (release IS NULL OR json_valid(release)), -- the device it was handed over to
  how TEXT GENERATED ALWAYS AS (facts ->> 'how') VIRTUAL,
  from_device_id TEXT GENERATED ALWAYS AS (facts ->> 'from_device_id') VIRTUAL,
  from_epoch INTEGER GENERATED ALWAYS AS (facts ->> 'from_epoch') VIRTUAL,
  claimed_at INTEGER GENERATED ALWAYS AS (facts ->> 'claimed_at') VIRTUAL,
  to_device_id TEXT GENERATED ALWAYS AS (release ->> 'to_device_id') VIRTUAL,
  released_at INTEGER GENERATED ALWAYS AS (release ->> 'at') VIRTUAL,
  PRIMARY KEY (workflow_id, epoch, device_id)
) STRICT;
SELECT crsql_as_crr('ownership_claims');
-- Released and not claimed yet; the named device looks here.
CREATE INDEX idx_ownership_claims_to ON ownership_claims (to_device_id) WHERE release IS NOT NULL;

CREATE TRIGGER ownership_claims_facts_are_final
BEFORE UPDATE OF workflow_id, epoch, device_id, facts ON ownership_claims
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: ownership_claims.facts'); END;

CREATE TRIGGER ownership_claims_are_kept BEFORE DELETE ON ownership_claims
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: ownership_claims'); END;

-- Epochs only rise: a new claim takes the epoch after the highest one that its device has seen.
CREATE TRIGGER ownership_claims_rise BEFORE INSERT ON ownership_claims
WHEN crsql_internal_sync_bit() = 0 AND NEW.epoch IS NOT
  (SELECT coalesce(max(epoch), 0) + 1 FROM ownership_claims WHERE workflow_id = NEW.workflow_id)
BEGIN SELECT RAISE(ABORT, 'ownership_claims: not the next epoch of this workflow'); END;

CREATE TRIGGER ownership_claims_released_once BEFORE UPDATE OF release ON ownership_claims
WHEN crsql_internal_sync_bit() = 0 AND OLD.release IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'immutable: ownership_claims.release'); END;
