// Current and recent activity of a workflow, for views. Every query is bounded by an index and a
// limit, never by history.
import { lastId, type Page } from '#main/store/sqlite/keyset-cursor.ts';
import { Store } from '#main/store/store-context.ts';
import type { Phase } from '#shared/machines/handler-run.ts';

export interface TopicCounts {
  readonly pending: number;
  readonly reserved: number;
  readonly setAside: number;
}

export interface HandlerCounts {
  readonly atWork: number;
  readonly waiting: number;
}

export interface Activation {
  readonly scriptId: string;
  readonly at: number;
  readonly deviceId: string;
}

export class WorkflowActivityStore extends Store {
  /** Newest first. */
  recentRuns(
    workflowId: string,
    limit: number,
  ): { id: string; phase: Phase; handlerName: string }[] {
    return this.db.all(
      `SELECT id, phase, handler_name AS handlerName FROM handler_runs
       WHERE workflow_id = ? ORDER BY id DESC LIMIT ?`,
      workflowId,
      limit,
    );
  }

  /** Ids of one handler's runs, newest first. */
  runsOf(
    workflowId: string,
    handlerName: string,
    { after, limit }: Page,
  ): { ids: string[]; next: string | null } {
    const ids = this.db.values<string>(
      `SELECT id FROM handler_runs INDEXED BY idx_handler_runs_workflow
       WHERE workflow_id = ? AND (? IS NULL OR id < ?) AND handler_name = ?
       ORDER BY id DESC LIMIT ?`,
      workflowId,
      after ?? null,
      after ?? null,
      handlerName,
      limit,
    );
    return { ids, next: lastId(ids, limit) };
  }

  /** Each count stops at `upTo`. */
  topicCounts(workflowId: string, topicId: string, upTo: number): TopicCounts {
    const count = (condition: string, ...params: readonly string[]): number =>
      this.db.value<number>(
        `SELECT count(*) FROM (SELECT 1 FROM events WHERE ${condition} LIMIT ?)`,
        ...params,
        upTo,
      ) ?? 0;
    return {
      pending: count(`topic_id = ? AND status = 'pending'`, topicId),
      reserved: count(`topic_id = ? AND status = 'reserved'`, topicId),
      setAside: count(
        `skip_reason = 'set_aside' AND workflow_id = ? AND topic_id = ?`,
        workflowId,
        topicId,
      ),
    };
  }

  /** By handler, only those with unfinished runs. */
  handlerCounts(workflowId: string): Map<string, HandlerCounts> {
    const rows = this.db.all<{ name: string; atWork: number; waiting: number }>(
      `SELECT handler_name AS name, sum(phase <> 'suspended') AS atWork,
         sum(phase = 'suspended') AS waiting
       FROM handler_runs INDEXED BY idx_handler_runs_open
       WHERE phase NOT IN ('committed', 'failed') AND workflow_id = ? GROUP BY handler_name`,
      workflowId,
    );
    return new Map(rows.map(({ name, atWork, waiting }) => [name, { atWork, waiting }]));
  }

  /** Activations of its versions by people, newest first. */
  activations(workflowId: string): Activation[] {
    return this.db.all<Activation>(
      `SELECT wish->>'scriptId' AS scriptId, coalesce(decided_at, created_at) AS at,
         device_id AS deviceId
       FROM intents WHERE workflow_id = ? AND status = 'done' AND wish->>'kind' = 'activate'
       ORDER BY created_at DESC, id DESC`,
      workflowId,
    );
  }
}
