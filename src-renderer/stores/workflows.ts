// All workflows. Few enough to load in whole pages; single rows reload by id. Activity (busy,
// questions, pending events) depends on runs and events, which the feed doesn't name by workflow,
// so it reloads the list, throttled.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { HostClient } from '#shared/api/client.ts';
import type { WorkflowView } from '#shared/api/contract.ts';
import type { ApiError } from '#shared/api/errors.ts';
import type { FeedMessage } from '#shared/api/feed.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';
import type { Live } from '#renderer/live.ts';
import { toApiError, unlessNotFound } from '#renderer/stores/api-failure.ts';
import { concerns, FEW_ROWS } from '#renderer/stores/feed-rows.ts';
import {
  createRefresher,
  WIDE_ROUND_DISTANCE_MS,
  type Wanted,
} from '#renderer/stores/refresher.ts';

export interface WorkflowsState {
  /** Null until the first reply. */
  readonly workflows: readonly WorkflowView[] | null;
  readonly hasMore: boolean;
  readonly error: ApiError | null;
}

export interface WorkflowsStore extends StoreApi<WorkflowsState> {
  /** Loads and follows the feed until the returned function is called. */
  open(): () => void;
  showMore(): void;
  refresh(): void;
}

/** `names` follows only the workflows themselves, not their activity. */
export type WorkflowsFollowed = 'names' | 'activity';

export function createWorkflowsStore(
  client: HostClient,
  live: Live,
  followed: WorkflowsFollowed = 'activity',
): WorkflowsStore {
  const store = createStore<WorkflowsState>(() => ({
    workflows: null,
    hasMore: false,
    error: null,
  }));
  let wantedPages = 1;
  let refreshNow = (): void => undefined;

  const fetchPages = async (): Promise<void> => {
    const workflows: WorkflowView[] = [];
    let after: string | null = null;
    for (let page = 0; page < wantedPages; page += 1) {
      const answer: { workflows: WorkflowView[]; next: string | null } = await client.call(
        'workflows.list',
        { limit: MAX_PAGE_SIZE, ...(after === null ? {} : { after }) },
      );
      workflows.push(...answer.workflows);
      after = answer.next;
      if (after === null) break;
    }
    store.setState({ workflows, hasMore: after !== null, error: null });
  };

  const fetchRows = async (ids: readonly string[]): Promise<void> => {
    const rows = await Promise.all(
      ids.map(
        async (workflowId) =>
          [workflowId, await unlessNotFound(client.call('workflows.get', { workflowId }))] as const,
      ),
    );
    const fresh = new Map(rows);
    store.setState(({ workflows }) => ({
      error: null,
      workflows: (workflows ?? []).flatMap((old) => {
        const row = fresh.get(old.id);
        if (row === undefined) return [old];
        return row === null ? [] : [row];
      }),
    }));
  };

  const round = async ({ everything, ids }: Wanted): Promise<void> => {
    const known = new Set(store.getState().workflows?.map(({ id }) => id));
    const unknown = [...ids].some((id) => !known.has(id));
    try {
      if (everything || unknown || ids.size > FEW_ROWS) await fetchPages();
      else await fetchRows([...ids]);
    } catch (error) {
      store.setState({ error: toApiError(error) });
    }
  };

  /** A session that starts or ends changes `activeRunId` of its workflow. */
  const workflowsOfRuns = (runIds: readonly string[]): readonly string[] | 'many' => {
    const byActiveRun = new Map(
      store.getState().workflows?.map(({ activeRunId, id }) => [activeRunId, id]),
    );
    const ids = runIds.map((runId) => byActiveRun.get(runId));
    return ids.every((id) => id !== undefined) ? ids : 'many';
  };

  return Object.assign(store, {
    open() {
      const refresher = createRefresher(round);
      const activity = createRefresher(async () => {
        refresher.everything();
      }, WIDE_ROUND_DISTANCE_MS);
      const stopListening = live.listen((message: FeedMessage) => {
        const workflows = concerns(message, 'workflows') ?? [];
        const runs = concerns(message, 'script_runs') ?? [];
        const ofRuns = runs === 'many' ? runs : workflowsOfRuns(runs);
        // One refresher call per message, because two would cause two requests.
        if (workflows === 'many' || ofRuns === 'many') refresher.everything();
        else if (followed === 'activity' && isActivity(message)) activity.everything();
        else refresher.ids([...workflows, ...ofRuns]);
      });
      refreshNow = () => {
        refresher.everything();
        refresher.nudge();
      };
      refresher.everything();
      return () => {
        stopListening();
        refresher.stop();
        activity.stop();
        refreshNow = () => undefined;
      };
    },
    showMore() {
      wantedPages += 1;
      refreshNow();
    },
    refresh: () => refreshNow(),
  });
}

const isActivity = (message: FeedMessage): boolean =>
  concerns(message, 'handler_runs') !== null || concerns(message, 'events') !== null;
