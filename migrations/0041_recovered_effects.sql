-- The device that made an effect writes what it decides after a crash into a column of its own. Until now
-- it wrote into `takeover`, where a later owner that it didn't know of writes too, and cr-sqlite kept the
-- side with more writes. `outcome` can't take it: a disk may have lost an outcome that a peer knows.
DROP TRIGGER mutations_start;
DROP TRIGGER mutations_one_writer;
DROP TRIGGER mutations_legal;
DROP TRIGGER mutations_archived;
DROP TRIGGER mutations_merge_changed;
DROP INDEX idx_mutations_status;

SELECT crsql_begin_alter('main', 'mutations');
ALTER TABLE mutations ADD COLUMN recovered TEXT CHECK (recovered IS NULL OR json_valid(recovered));
SELECT crsql_commit_alter('main', 'mutations');

ALTER TABLE mutations DROP COLUMN status;
ALTER TABLE mutations DROP COLUMN result;
ALTER TABLE mutations DROP COLUMN error;
ALTER TABLE mutations DROP COLUMN reconcile_attempts;
ALTER TABLE mutations DROP COLUMN last_reconcile_at;
ALTER TABLE mutations DROP COLUMN next_reconcile_at;
ALTER TABLE mutations DROP COLUMN resolved_by;
ALTER TABLE mutations DROP COLUMN resolved_at;
ALTER TABLE mutations DROP COLUMN updated_at;
ALTER TABLE mutations DROP COLUMN counts;

-- The rule of src-shared/takeover-precedence.ts, in its two steps.
ALTER TABLE mutations ADD COLUMN counts_of_maker TEXT GENERATED ALWAYS AS (CASE
  WHEN recovered IS NULL THEN outcome
  WHEN recovered ->> 'resolved_by' IS NOT NULL THEN recovered
  WHEN outcome ->> 'status' IN ('applied', 'failed') THEN outcome
  ELSE recovered END) VIRTUAL;
ALTER TABLE mutations ADD COLUMN counts TEXT GENERATED ALWAYS AS (CASE
  WHEN takeover IS NULL THEN counts_of_maker
  WHEN takeover ->> 'resolved_by' IS NOT NULL THEN takeover
  WHEN counts_of_maker ->> 'status' IN ('applied', 'failed') THEN counts_of_maker
  ELSE takeover END) VIRTUAL;
ALTER TABLE mutations ADD COLUMN status TEXT GENERATED ALWAYS AS (counts ->> 'status') VIRTUAL;
ALTER TABLE mutations ADD COLUMN result TEXT GENERATED ALWAYS AS (counts -> 'result') VIRTUAL;
ALTER TABLE mutations ADD COLUMN error TEXT GENERATED ALWAYS AS (counts ->> 'error') VIRTUAL;
ALTER TABLE mutations ADD COLUMN reconcile_attempts INTEGER GENERATED ALWAYS AS (coalesce(counts ->> 'reconcile_attempts', 0)) VIRTUAL;
ALTER TABLE mutations ADD COLUMN last_reconcile_at INTEGER GENERATED ALWAYS AS (counts ->> 'last_reconcile_at') VIRTUAL;
ALTER TABLE mutations ADD COLUMN next_reconcile_at INTEGER GENERATED ALWAYS AS (counts ->> 'next_reconcile_at') VIRTUAL;
ALTER TABLE mutations ADD COLUMN resolved_by TEXT GENERATED ALWAYS AS (counts ->> 'resolved_by') VIRTUAL;
ALTER TABLE mutations ADD COLUMN resolved_at INTEGER GENERATED ALWAYS AS (counts ->> 'resolved_at') VIRTUAL;
ALTER TABLE mutations ADD COLUMN updated_at INTEGER GENERATED ALWAYS AS (counts ->> 'updated_at') VIRTUAL;
CREATE INDEX idx_mutations_status ON mutations (status);

-- This device's own doubt, while it is open. If another device has claimed the workflow since, the column
-- may also be what that device wrote, and nothing tells the two apart, so it stays.
UPDATE mutations SET recovered = takeover, takeover = NULL
WHERE takeover IS NOT NULL
  AND device_id = (SELECT value ->> '$' FROM settings WHERE key = 'device_id')
  AND (takeover ->> 'status' IN ('in_flight', 'needs_reconcile')
    OR (takeover ->> 'status' = 'indeterminate' AND takeover ->> 'resolved_by' IS NULL))
  AND NOT EXISTS (SELECT 1 FROM ownership_claims AS c WHERE c.workflow_id = mutations.workflow_id
    AND c.device_id <> mutations.device_id AND c.epoch >= mutations.epoch);

CREATE TRIGGER mutations_start AFTER INSERT ON mutations
WHEN crsql_internal_sync_bit() = 0
  AND NOT (NEW.status IS 'pending' OR (NEW.status IS 'in_flight' AND NEW.call IS NOT NULL))
BEGIN SELECT RAISE(ABORT, 'illegal transition: mutations must start as pending or in_flight'); END;

CREATE TRIGGER mutations_one_writer AFTER UPDATE OF outcome, recovered, takeover ON mutations
WHEN crsql_internal_sync_bit() = 0 AND (NEW.outcome IS NOT OLD.outcome)
  + (NEW.recovered IS NOT OLD.recovered) + (NEW.takeover IS NOT OLD.takeover) > 1
BEGIN SELECT RAISE(ABORT, 'mutations: outcome, recovered and takeover have one writer each'); END;

-- Each writer continues from what counts of its own columns; a later owner from what counts of all. An
-- effect whose outcome has not been merged yet may have been sent.
CREATE TRIGGER mutations_legal AFTER UPDATE OF outcome, recovered, takeover ON mutations
WHEN crsql_internal_sync_bit() = 0 AND EXISTS (
  SELECT 1 FROM (
    SELECT coalesce(was ->> 'status', 'in_flight') AS was, was ->> 'resolved_by' AS was_resolved_by,
      coalesce(now ->> 'status', '') AS now, coalesce(now ->> 'resolved_by', '') AS now_resolved_by
    FROM (SELECT
      CASE WHEN NEW.takeover IS NOT OLD.takeover THEN OLD.counts
        WHEN NEW.recovered IS NOT OLD.recovered THEN OLD.counts_of_maker ELSE OLD.outcome END AS was,
      CASE WHEN NEW.takeover IS NOT OLD.takeover THEN NEW.takeover
        WHEN NEW.recovered IS NOT OLD.recovered THEN NEW.recovered ELSE NEW.outcome END AS now))
  WHERE (now = 'in_flight' AND NEW.call IS NULL)
    OR (instr(
        '|pending>in_flight|pending>failed'
          || '|in_flight>applied|in_flight>failed|in_flight>needs_reconcile|in_flight>indeterminate'
          || '|needs_reconcile>needs_reconcile|needs_reconcile>applied'
          || '|needs_reconcile>failed|needs_reconcile>indeterminate|',
        '|' || was || '>' || now || '|') = 0
      AND NOT (was = 'indeterminate' AND was_resolved_by IS NULL
        AND instr(
          '|applied>user_assert_applied|failed>user_assert_failed|needs_reconcile>user_retry'
            || '|in_flight>user_retry|indeterminate>user_skip|',
          '|' || now || '>' || now_resolved_by || '|') > 0)))
BEGIN SELECT RAISE(ABORT, 'illegal transition: mutations'); END;

CREATE TRIGGER mutations_archived AFTER DELETE ON mutations
BEGIN
  INSERT INTO archived_rows (kind, content) VALUES ('mutations', json_object('id', OLD.id, 'facts', OLD.facts, 'call', OLD.call, 'outcome', OLD.outcome, 'takeover', OLD.takeover, 'recovered', OLD.recovered));
END;

CREATE TRIGGER mutations_merge_changed AFTER UPDATE OF outcome, recovered, takeover ON mutations
WHEN crsql_internal_sync_bit() = 1
BEGIN
  INSERT INTO merged_rows SELECT 'mutations', NEW.id
  WHERE NOT EXISTS (SELECT 1 FROM merged_rows WHERE kind = 'mutations' AND id = NEW.id);
END;
