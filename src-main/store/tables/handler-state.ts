// The state that a handler carries from run to run.
import { NotMergedYet } from '#main/store/sqlite/json-columns.ts';
import { UnreadableRow } from '#main/store/sqlite/refused-set.ts';
import type { TableCache } from '#main/store/sqlite/table-cache.ts';
import { Store, type StoreContext } from '#main/store/store-context.ts';
import { handlerStateId } from '#shared/ids.ts';
import type { Json } from '#shared/json.ts';
import { MAX_STATE_BYTES } from '#shared/limits.ts';

export interface HandlerState {
  readonly workflowId: string;
  readonly handlerName: string;
  readonly state: Json;
  readonly updatedAt: number;
  readonly updatedByRunId: string;
}

export interface StateTooLarge {
  readonly type: 'state_too_large';
  readonly message: string;
}

export class HandlerStateStore extends Store {
  readonly #states: TableCache<HandlerState | undefined>;

  constructor(context: StoreContext) {
    super(context);
    this.#states = context.db.cache('handler_state');
  }

  get(workflowId: string, handlerName: string): HandlerState | undefined {
    const key = `${workflowId}/${handlerName}`;
    return this.#states.get(key, () => this.#read(workflowId, handlerName));
  }

  #read(workflowId: string, handlerName: string): HandlerState | undefined {
    const text = this.db.value<string>(
      'SELECT value FROM handler_state WHERE id = ?',
      handlerStateId(workflowId, handlerName),
    );
    if (text === undefined) return undefined;
    const id = handlerStateId(workflowId, handlerName);
    const value = this.refused.read(
      'handler_state',
      id,
      () => JSON.parse(text) as { state: Json; updated_at: number; updated_by_run_id: string },
    );
    // Without its state the handler would begin again from nothing.
    if (value?.updated_at === undefined)
      throw new UnreadableRow('handler_state', id, new NotMergedYet().message);
    return {
      workflowId,
      handlerName,
      state: value.state,
      updatedAt: value.updated_at,
      updatedByRunId: value.updated_by_run_id,
    };
  }

  set(
    workflowId: string,
    handlerName: string,
    state: Json,
    runId: string,
  ): { readonly type: 'saved' } | StateTooLarge {
    const { db, clock } = this.context;
    const bytes = Buffer.byteLength(JSON.stringify(state));
    if (bytes > MAX_STATE_BYTES) return tooLarge(handlerName, bytes);
    const id = handlerStateId(workflowId, handlerName);
    const isKnown = this.get(workflowId, handlerName) !== undefined;
    db.write(() => {
      // A peer's raw SQL may have used another id, which the database then takes for this state.
      if (!isKnown) {
        db.run(
          'DELETE FROM handler_state WHERE workflow_id = ? AND handler_name = ?',
          workflowId,
          handlerName,
        );
      }
      db.run(
        `INSERT INTO handler_state (id, facts, value) VALUES (?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET value = excluded.value`,
        id,
        JSON.stringify({ workflow_id: workflowId, handler_name: handlerName }),
        JSON.stringify({ state, updated_at: clock.now(), updated_by_run_id: runId }),
      );
      db.changes.record('handler_state', id);
    });
    return { type: 'saved' };
  }
}

function tooLarge(handlerName: string, bytes: number): StateTooLarge {
  return {
    type: 'state_too_large',
    message: `The state of "${handlerName}" has ${bytes} bytes; the limit is ${MAX_STATE_BYTES}. The previous state is unchanged. Store less, or put it in a file.`,
  };
}
