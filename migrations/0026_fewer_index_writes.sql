-- A successful run no longer writes to indexes that are only used to find other runs. The names are
-- those of spec 002.

-- Running ones are in idx_handler_runs_open.
DROP INDEX idx_handler_runs_phase;
CREATE INDEX idx_handler_runs_phase ON handler_runs (phase, id)
  WHERE phase IN ('suspended', 'failed');

-- Effects in flight belong to open runs.
DROP INDEX idx_mutations_status;
CREATE INDEX idx_mutations_status ON mutations (status)
  WHERE status IN ('pending', 'needs_reconcile', 'indeterminate');
DROP INDEX idx_mutations_workflow;
CREATE INDEX idx_mutations_workflow ON mutations (workflow_id)
  WHERE status IN ('pending', 'needs_reconcile', 'indeterminate');

-- Only events that were set aside are queried by workflow; all others by topic.
DROP INDEX idx_events_workflow;
DROP INDEX idx_events_skip_reason;
CREATE INDEX idx_events_workflow ON events (skip_reason, workflow_id) WHERE skip_reason IS NOT NULL;

-- The events of a run are among its reservations.
DROP INDEX idx_events_reserved_by;
