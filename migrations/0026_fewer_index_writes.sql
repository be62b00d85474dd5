-- A run that goes well no longer writes to indexes in which only the others are looked for. The names
-- are those of spec 002.

-- Those at work are in idx_handler_runs_open.
DROP INDEX idx_handler_runs_phase;
CREATE INDEX idx_handler_runs_phase ON handler_runs (phase, id)
  WHERE phase IN ('suspended', 'failed');

-- Those in flight belong to runs at work.
DROP INDEX idx_mutations_status;
CREATE INDEX idx_mutations_status ON mutations (status)
  WHERE status IN ('pending', 'needs_reconcile', 'indeterminate');
DROP INDEX idx_mutations_workflow;
CREATE INDEX idx_mutations_workflow ON mutations (workflow_id)
  WHERE status IN ('pending', 'needs_reconcile', 'indeterminate');

-- By workflow only what was set aside is looked for; the rest by topic.
DROP INDEX idx_events_workflow;
DROP INDEX idx_events_skip_reason;
CREATE INDEX idx_events_workflow ON events (skip_reason, workflow_id) WHERE skip_reason IS NOT NULL;

-- What a run holds is among what it reserved.
DROP INDEX idx_events_reserved_by;
