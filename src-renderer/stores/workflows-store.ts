// All workflows. Few enough to load in whole pages; single rows reload by id. Activity (busy,
// questions, pending events) depends on runs and events, which the feed doesn't name by workflow,
// so it reloads the list, throttled.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { HostClient } from '#shared/api/client.ts';
import type { WorkflowView } from '#shared/api/contract.ts';
import type { ApiError } from '#shared/api/errors.ts';
import type { FeedMessage } from '#shared/api/feed.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';
import type { FeedConnection } from '#renderer/client/feed-connection.ts';
import { toApiError, nullIfNotFound } from '#renderer/client/to-api-error.ts';
import { changedIds, MAX_SINGLE_FETCHES } from '#renderer/stores/feed-changes.ts';
import {
  createRefresher,
  SLOW_REFRESH_INTERVAL_MS,
  type RefreshRequest,
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
export type WorkflowsDetail = 'names' | 'activity';

export function createWorkflowsStore(
  client: HostClient,
  feed: FeedConnection,
  detail: WorkflowsDetail = 'activity',
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
          [workflowId, await nullIfNotFound(client.call('workflows.get', { workflowId }))] as const,
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

  const fetchRequested = async ({ isFull, ids }: RefreshRequest): Promise<void> => {
    const known = new Set(store.getState().workflows?.map(({ id }) => id));
    const unknown = [...ids].some((id) => !known.has(id));
    try {
      if (isFull || unknown || ids.size > MAX_SINGLE_FETCHES) await fetchPages();
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
      const refresher = createRefresher(fetchRequested);
      const activity = createRefresher(async () => {
        refresher.refreshAll();
      }, SLOW_REFRESH_INTERVAL_MS);
      const stopListening = feed.listen((message: FeedMessage) => {
        const workflows = changedIds(message, 'workflows') ?? [];
        const runs = changedIds(message, 'script_runs') ?? [];
        const ofRuns = runs === 'many' ? runs : workflowsOfRuns(runs);
        // One refresher call per message, because two would cause two requests.
        if (workflows === 'many' || ofRuns === 'many') refresher.refreshAll();
        else if (detail === 'activity' && isActivity(message)) activity.refreshAll();
        else refresher.refreshIds([...workflows, ...ofRuns]);
      });
      refreshNow = () => {
        refresher.refreshAll();
        refresher.refreshNow();
      };
      refresher.refreshAll();
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
  changedIds(message, 'handler_runs') !== null || changedIds(message, 'events') !== null;
