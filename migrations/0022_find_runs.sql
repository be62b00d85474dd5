-- Indexes for searching a long history. The first contains every column that a search compares, so a
-- full scan reads only narrow rows and no checkpoints, states or logs. The second lists the runs of a
-- phase in order.
CREATE INDEX idx_handler_runs_search ON handler_runs
  (id, workflow_id, device_id, handler_name, prepare_result ->> '$.ui.title');
DROP INDEX idx_handler_runs_phase;
CREATE INDEX idx_handler_runs_phase ON handler_runs (phase, id);
