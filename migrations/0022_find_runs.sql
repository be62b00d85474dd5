-- Finding runs in a long history. The first index holds all that a search compares, so looking
-- through every run reads narrow rows only, never checkpoints, states or logs; the second gives
-- the runs of a phase in order.
CREATE INDEX idx_handler_runs_search ON handler_runs
  (id, workflow_id, device_id, handler_name, prepare_result ->> '$.ui.title');
DROP INDEX idx_handler_runs_phase;
CREATE INDEX idx_handler_runs_phase ON handler_runs (phase, id);
