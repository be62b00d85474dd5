-- Search over a long history. The first index covers every column that a search compares, so a scan
-- reads narrow rows and never checkpoints, states or logs; the second orders the runs of a phase.
CREATE INDEX idx_handler_runs_search ON handler_runs
  (id, workflow_id, device_id, handler_name, prepare_result ->> '$.ui.title');
DROP INDEX idx_handler_runs_phase;
CREATE INDEX idx_handler_runs_phase ON handler_runs (phase, id);
