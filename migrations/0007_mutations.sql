-- Spec 002. Synced: the ledger of effects, at most one for each handler run.
CREATE TABLE mutations (
  id TEXT NOT NULL PRIMARY KEY, -- hash(handler_run_id)
  facts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(facts)),
  call TEXT CHECK (call IS NULL OR json_valid(call)),
  outcome TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(outcome)), -- written only by the device that created the row
  takeover TEXT CHECK (takeover IS NULL OR json_valid(takeover)), -- written by a later owner
  handler_run_id TEXT GENERATED ALWAYS AS (facts ->> 'handler_run_id') VIRTUAL,
  workflow_id TEXT GENERATED ALWAYS AS (facts ->> 'workflow_id') VIRTUAL,
  device_id TEXT GENERATED ALWAYS AS (facts ->> 'device_id') VIRTUAL,
  epoch INTEGER GENERATED ALWAYS AS (facts ->> 'epoch') VIRTUAL,
  created_at INTEGER GENERATED ALWAYS AS (facts ->> 'created_at') VIRTUAL,
  tool_namespace TEXT GENERATED ALWAYS AS (call ->> 'tool_namespace') VIRTUAL,
  tool_method TEXT GENERATED ALWAYS AS (call ->> 'tool_method') VIRTUAL,
  params TEXT GENERATED ALWAYS AS (call -> 'params') VIRTUAL,
  idempotency_key TEXT GENERATED ALWAYS AS (call ->> 'idempotency_key') VIRTUAL,
  -- Same rule as src-shared/takeover-precedence.ts.
  counts TEXT GENERATED ALWAYS AS (CASE
    WHEN takeover IS NULL THEN outcome
    WHEN takeover ->> 'resolved_by' IS NOT NULL THEN takeover
    WHEN outcome ->> 'status' IN ('applied', 'failed') THEN outcome
    ELSE takeover END) VIRTUAL,
  status TEXT GENERATED ALWAYS AS (counts ->> 'status') VIRTUAL,
  result TEXT GENERATED ALWAYS AS (counts -> 'result') VIRTUAL,
  error TEXT GENERATED ALWAYS AS (counts ->> 'error') VIRTUAL,
  reconcile_attempts INTEGER GENERATED ALWAYS AS (coalesce(counts ->> 'reconcile_attempts', 0)) VIRTUAL,
  last_reconcile_at INTEGER GENERATED ALWAYS AS (counts ->> 'last_reconcile_at') VIRTUAL,
  next_reconcile_at INTEGER GENERATED ALWAYS AS (counts ->> 'next_reconcile_at') VIRTUAL,
  resolved_by TEXT GENERATED ALWAYS AS (counts ->> 'resolved_by') VIRTUAL,
  resolved_at INTEGER GENERATED ALWAYS AS (counts ->> 'resolved_at') VIRTUAL,
  updated_at INTEGER GENERATED ALWAYS AS (counts ->> 'updated_at') VIRTUAL
) STRICT;
SELECT crsql_as_crr('mutations');
CREATE INDEX idx_mutations_handler_run ON mutations (handler_run_id);
CREATE INDEX idx_mutations_workflow ON mutations (workflow_id);
CREATE INDEX idx_mutations_status ON mutations (status);
CREATE INDEX idx_mutations_idempotency_key ON mutations (idempotency_key);

CREATE TRIGGER mutations_facts_are_final BEFORE UPDATE OF id, facts ON mutations
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: mutations.facts'); END;

CREATE TRIGGER mutations_are_kept BEFORE DELETE ON mutations
WHEN crsql_internal_sync_bit() = 0
BEGIN SELECT RAISE(ABORT, 'immutable: mutations'); END;

-- Inserted as pending or directly as in flight; a row in flight has its call.
CREATE TRIGGER mutations_start BEFORE INSERT ON mutations
WHEN crsql_internal_sync_bit() = 0
  AND NOT (NEW.status IS 'pending' OR (NEW.status IS 'in_flight' AND NEW.call IS NOT NULL))
BEGIN SELECT RAISE(ABORT, 'illegal transition: mutations starts as ' || coalesce(NEW.status, 'nothing')); END;

CREATE TRIGGER mutations_call_is_final BEFORE UPDATE OF call ON mutations
WHEN crsql_internal_sync_bit() = 0 AND OLD.call IS NOT NULL AND NEW.call IS NOT OLD.call
BEGIN SELECT RAISE(ABORT, 'immutable: mutations.call'); END;

-- The creating device continues from its own columns; a later owner from the effective values.
CREATE TRIGGER mutations_one_writer BEFORE UPDATE OF outcome, takeover ON mutations
WHEN crsql_internal_sync_bit() = 0 AND NEW.takeover IS NOT OLD.takeover
  AND (NEW.outcome IS NOT OLD.outcome OR NEW.takeover IS NULL)
BEGIN SELECT RAISE(ABORT, 'mutations: outcome and takeover have two writers'); END;

CREATE TRIGGER mutations_legal BEFORE UPDATE OF outcome, takeover ON mutations
WHEN crsql_internal_sync_bit() = 0 AND ((
    coalesce(iif(NEW.takeover IS OLD.takeover, OLD.outcome ->> 'status', OLD.status), ''),
    coalesce(iif(NEW.takeover IS OLD.takeover, NEW.outcome, NEW.takeover) ->> 'status', '')
  ) NOT IN (VALUES
  ('pending', 'in_flight'), ('pending', 'failed'),
  ('in_flight', 'applied'), ('in_flight', 'failed'), ('in_flight', 'needs_reconcile'),
  ('in_flight', 'indeterminate'),
  ('needs_reconcile', 'needs_reconcile'), ('needs_reconcile', 'applied'),
  ('needs_reconcile', 'failed'), ('needs_reconcile', 'indeterminate'))
  AND NOT (
    iif(NEW.takeover IS OLD.takeover, OLD.outcome ->> 'status', OLD.status) IS 'indeterminate'
    AND iif(NEW.takeover IS OLD.takeover, OLD.outcome ->> 'resolved_by', OLD.resolved_by) IS NULL
    AND (
      coalesce(iif(NEW.takeover IS OLD.takeover, NEW.outcome, NEW.takeover) ->> 'status', ''),
      coalesce(iif(NEW.takeover IS OLD.takeover, NEW.outcome, NEW.takeover) ->> 'resolved_by', '')
    ) IN (VALUES
    ('applied', 'user_assert_applied'), ('failed', 'user_assert_failed'),
    ('needs_reconcile', 'user_retry'), ('in_flight', 'user_retry'),
    ('indeterminate', 'user_skip')))
  OR (iif(NEW.takeover IS OLD.takeover, NEW.outcome, NEW.takeover) ->> 'status' IS 'in_flight'
    AND NEW.call IS NULL))
BEGIN SELECT RAISE(ABORT, 'illegal transition: mutations ' || coalesce(OLD.status, 'nothing') || ' -> ' || coalesce(iif(NEW.takeover IS OLD.takeover, NEW.outcome, NEW.takeover) ->> 'status', 'nothing')); END;
