// Archivable inputs of one workflow: input, automation run with history, and side effects. They are
// archived together, after their events.
import { archiveDelete } from '#main/store/sqlite/archive-delete.ts';
import { Store } from '#main/store/store-context.ts';
import type { AutomationRunStatus } from '#shared/machines/automation-run.ts';
import { isInputDone } from '#shared/retention.ts';

interface Row {
  id: string;
  input_id: string;
  queued_at: number;
  status: AutomationRunStatus;
  completed_at: number | null;
  has_events: number;
  has_work: number;
  has_open_intent: number;
}

export interface InputPosition {
  readonly queuedAt: number;
  readonly id: string;
}

export const FIRST_INPUT: InputPosition = { queuedAt: -1, id: '' };

export class ArchivableInputStore extends Store {
  /** Archives a page of inputs after `after`, oldest first. Returns `after` null at the end. */
  archive(
    workflowId: string,
    cutoff: number,
    after: InputPosition,
    limit: number,
  ): { readonly rows: number; readonly after: InputPosition | null } {
    return this.db.write(() => {
      const seen = this.#old(workflowId, cutoff, after, limit);
      const rows = seen.filter(isDone(cutoff)).reduce((sum, row) => sum + this.#remove(row), 0);
      const last = seen.length === limit ? seen.at(-1) : undefined;
      return { rows, after: last ? { queuedAt: last.queued_at, id: last.id } : null };
    });
  }

  /** Names of artifacts that runs still refer to, in pages of rows. */
  *artifactRefs(pageSize: number): Generator<string[]> {
    yield* this.#pages(
      `SELECT id, json_array(enrichment_artifact_ref, sources_artifact_ref, policy_artifact_ref,
         completion_artifact_ref) AS refs FROM automation_runs`,
      pageSize,
    );
    yield* this.#pages(
      `SELECT id, json_array(facts ->> 'sha256') AS refs FROM artifacts`,
      pageSize,
    );
  }

  *#pages(select: string, pageSize: number): Generator<string[]> {
    for (let after: string | undefined = ''; after !== undefined;) {
      const page: { id: string; refs: string }[] = this.db.all(
        `${select} WHERE id > ? ORDER BY id LIMIT ?`,
        after,
        pageSize,
      );
      yield page.flatMap(({ refs }) =>
        (JSON.parse(refs) as (string | null)[]).filter((ref) => ref !== null),
      );
      after = page.length === pageSize ? page.at(-1)?.id : undefined;
    }
  }

  #old(workflowId: string, cutoff: number, after: InputPosition, limit: number): Row[] {
    return this.db.all<Row>(
      `SELECT id, trigger_event_id AS input_id, queued_at, status, completed_at,
         (EXISTS (SELECT 1 FROM events INDEXED BY idx_events_caused_by
           WHERE caused_by = a.trigger_event_id)
         OR EXISTS (SELECT 1 FROM event_causes WHERE input_id = a.trigger_event_id)) AS has_events,
         EXISTS (SELECT 1 FROM outbox WHERE run_id = a.id AND status <> 'dispatched') AS has_work,
         EXISTS (SELECT 1 FROM intents WHERE workflow_id = a.automation_id AND status = 'waiting')
           AS has_open_intent
       FROM automation_runs AS a INDEXED BY idx_automation_runs_workflow
       WHERE automation_id = ? AND queued_at < ? AND (queued_at, id) > (?, ?)
       ORDER BY queued_at, id LIMIT ?`,
      workflowId,
      cutoff,
      after.queuedAt,
      after.id,
      limit,
    );
  }

  #remove({ id, input_id: inputId }: Row): number {
    for (const table of ['outbox', 'automation_leases', 'run_snapshots']) {
      this.db.run(`DELETE FROM ${table} WHERE run_id = ?`, id);
    }
    return (
      archiveDelete(this.db, 'run_events', 'run_id', id) +
      this.#removeEffects(id) +
      archiveDelete(this.db, 'artifacts', 'run_id', id) +
      archiveDelete(this.db, 'automation_runs', 'id', id) +
      archiveDelete(this.db, 'trigger_events', 'id', inputId)
    );
  }

  /** An effect leaves with the last of the inputs that it served. */
  #removeEffects(runId: string): number {
    const effects = this.#effectsOf(runId);
    let rows = archiveDelete(this.db, 'automation_side_effect_runs', 'run_id', runId);
    for (const effectId of effects) {
      if (this.#isServed(effectId)) continue;
      rows += archiveDelete(this.db, 'automation_side_effects', 'effect_id', effectId);
    }
    return rows;
  }

  #effectsOf(runId: string): string[] {
    return this.db.values<string>(
      `SELECT effect_id FROM automation_side_effects WHERE run_id = ?
       UNION SELECT effect_id FROM automation_side_effect_runs WHERE run_id = ?`,
      runId,
      runId,
    );
  }

  /** Whether an input that is not archived lists it. */
  #isServed(effectId: string): boolean {
    const linked = this.db.value(
      'SELECT 1 FROM automation_side_effect_runs WHERE effect_id = ?',
      effectId,
    );
    return linked !== undefined;
  }
}

function isDone(cutoff: number): (row: Row) => boolean {
  return (row) =>
    isInputDone(
      {
        status: row.status,
        endedAt: row.completed_at,
        hasEvents: row.has_events === 1,
        hasWork: row.has_work === 1,
        hasOpenIntent: row.has_open_intent === 1,
      },
      cutoff,
    );
}
