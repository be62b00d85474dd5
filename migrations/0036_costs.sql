-- Costs of runs, in microdollars. Each writer of a run counts what it spent in its own column, so a cost is
-- not lost when two devices wrote to one run: the cost is the sum, not the side that takes precedence.
-- A value that can't be a cost counts as the nearest one that can.
ALTER TABLE handler_runs DROP COLUMN cost;
ALTER TABLE handler_runs ADD COLUMN cost INTEGER GENERATED ALWAYS AS (
  max(0, min(1000000000000, CAST(coalesce(progress ->> 'cost', 0) AS INTEGER)))
  + max(0, min(1000000000000, CAST(coalesce(takeover ->> 'cost', 0) AS INTEGER)))) VIRTUAL;

-- Runs that failed before they took an event belong to an input by their cause only.
CREATE INDEX idx_handler_runs_cost ON handler_runs (caused_by) WHERE cost > 0;

-- Local: sums of the costs of the runs in the history, derived by any write, merges included. A row is a
-- quarter of an hour, in which the runs started, because every time zone begins its days with one.
-- Quarter -1 is the sum of all.
CREATE TABLE workflow_costs (
  workflow_id TEXT NOT NULL,
  quarter INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  PRIMARY KEY (workflow_id, quarter)
) STRICT, WITHOUT ROWID;

-- Rows that a peer with a newer version sent.
INSERT INTO workflow_costs (workflow_id, quarter, cost)
SELECT workflow_id, -1, sum(cost) FROM handler_runs
  WHERE cost > 0 AND workflow_id IS NOT NULL GROUP BY 1
UNION ALL
SELECT workflow_id, max(0, coalesce(unixepoch(start_timestamp), 0) / 900), sum(cost)
  FROM handler_runs WHERE cost > 0 AND workflow_id IS NOT NULL GROUP BY 1, 2;

CREATE TRIGGER handler_runs_cost_on_insert AFTER INSERT ON handler_runs
WHEN NEW.cost > 0 AND NEW.workflow_id IS NOT NULL
BEGIN
  INSERT INTO workflow_costs (workflow_id, quarter, cost)
  SELECT NEW.workflow_id, column1, NEW.cost
  FROM (VALUES (-1), (max(0, coalesce(unixepoch(NEW.start_timestamp), 0) / 900))) WHERE true
  ON CONFLICT DO UPDATE SET cost = cost + excluded.cost;
END;

-- A merge can bring `facts` after the cost.
CREATE TRIGGER handler_runs_cost_on_update AFTER UPDATE OF facts, progress, takeover ON handler_runs
WHEN NEW.cost <> OLD.cost OR (NEW.cost > 0 AND NEW.facts <> OLD.facts)
BEGIN
  INSERT INTO workflow_costs (workflow_id, quarter, cost)
  SELECT OLD.workflow_id, column1, -OLD.cost
  FROM (VALUES (-1), (max(0, coalesce(unixepoch(OLD.start_timestamp), 0) / 900)))
  WHERE OLD.workflow_id IS NOT NULL
  ON CONFLICT DO UPDATE SET cost = cost + excluded.cost;
  INSERT INTO workflow_costs (workflow_id, quarter, cost)
  SELECT NEW.workflow_id, column1, NEW.cost
  FROM (VALUES (-1), (max(0, coalesce(unixepoch(NEW.start_timestamp), 0) / 900)))
  WHERE NEW.workflow_id IS NOT NULL
  ON CONFLICT DO UPDATE SET cost = cost + excluded.cost;
END;

CREATE TRIGGER handler_runs_cost_on_delete AFTER DELETE ON handler_runs
WHEN OLD.cost > 0 AND OLD.workflow_id IS NOT NULL
BEGIN
  UPDATE workflow_costs SET cost = cost - OLD.cost WHERE workflow_id = OLD.workflow_id
    AND quarter IN (-1, max(0, coalesce(unixepoch(OLD.start_timestamp), 0) / 900));
  DELETE FROM workflow_costs WHERE workflow_id = OLD.workflow_id AND cost = 0
    AND quarter IN (-1, max(0, coalesce(unixepoch(OLD.start_timestamp), 0) / 900));
END;
