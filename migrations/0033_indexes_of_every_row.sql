-- The indexes of spec 002 hold every row again, so that a plain query by workflow, phase or status uses
-- them. Since 0026 they held only the few rows that the engine asks for.
DROP INDEX idx_handler_runs_phase;
CREATE INDEX idx_handler_runs_phase ON handler_runs (phase, id);

DROP INDEX idx_mutations_status;
CREATE INDEX idx_mutations_status ON mutations (status);
DROP INDEX idx_mutations_workflow;
CREATE INDEX idx_mutations_workflow ON mutations (workflow_id);

-- The inbox and the counts of a workflow ask for events set aside, which are few.
DROP INDEX idx_events_workflow;
CREATE INDEX idx_events_workflow ON events (workflow_id);
CREATE INDEX idx_events_set_aside ON events (skip_reason, workflow_id) WHERE skip_reason IS NOT NULL;
