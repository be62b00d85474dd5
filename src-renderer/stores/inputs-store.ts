// Inputs that match a filter. A row includes its automation run; the feed names runs by their own
// id, and the host finds an input by either id.
import type { HostClient } from '#shared/api/client.ts';
import type { CallInput } from '#shared/api/contract.ts';
import { inputSchema, type InputView } from '#shared/api/inputs.ts';
import type { InputFilter } from '#renderer/navigation/input-route.ts';
import type { FeedConnection } from '#renderer/client/feed-connection.ts';
import { toTimeBounds, isWithinBounds } from '#renderer/format/time-range.ts';
import { withoutUndefined } from '#renderer/format/without-undefined.ts';
import { changedIds } from '#renderer/stores/feed-changes.ts';
import { newestIdFirst } from '#renderer/stores/list/list-rows.ts';
import { createListStore, type ListStore } from '#renderer/stores/list/list-store.ts';

const ROW_FIELDS = inputSchema.keyof().options;

export type InputsStore = ListStore<InputView>;

export function createInputsStore(
  client: HostClient,
  feed: FeedConnection,
  filter: InputFilter,
  now: () => number = Date.now,
): InputsStore {
  const { period: _period, from: _from, to: _to, ...asked } = filter;
  // Computed once per list, so that rows don't drop out while it is open.
  const bounds = toTimeBounds(filter, now());
  const query = withoutUndefined({ ...asked, ...bounds }) as CallInput<'inputs.list'>;

  return createListStore<InputView>(feed, {
    async list(page) {
      const { inputs, next } = await client.call('inputs.list', { ...query, ...page });
      return { rows: inputs, next };
    },
    get: async (inputId) => rowOf(await client.call('inputs.get', { inputId })),
    changedIds(message, known) {
      const inputs = changedIds(message, 'trigger_events');
      const runs = changedIds(message, 'automation_runs');
      if (inputs === 'many' || runs === 'many') return 'many';
      if (inputs === null && runs === null) return null;
      const inputOf = new Map(known.map(({ id, run }) => [run.id, id]));
      const ofRuns = (runs ?? []).map((id) => inputOf.get(id) ?? id);
      return [...new Set([...(inputs ?? []), ...ofRuns])];
    },
    newestFirst: newestInputFirst,
    matches: (input) =>
      (filter.workflowId === undefined || input.workflowId === filter.workflowId) &&
      (filter.kind === undefined || input.kind === filter.kind) &&
      (filter.source === undefined || input.source === filter.source) &&
      (filter.status === undefined || input.run.status === filter.status) &&
      isWithinBounds(input.run.queuedAt, bounds) &&
      (filter.text === undefined || matchesSearch(input, filter.text)),
  });
}

/** Drops the details, so that a frequently updated row doesn't hold a megabyte. */
function rowOf(detail: InputView): InputView {
  const row: Record<string, unknown> = {};
  for (const field of ROW_FIELDS) row[field] = detail[field];
  return row as unknown as InputView;
}

/** Same comparison as the host. */
function matchesSearch({ title, type, source, externalId }: InputView, text: string): boolean {
  return [title, type, source, externalId].join(' ').toLowerCase().includes(text.toLowerCase());
}

/** Same order as `inputs.list`. */
function newestInputFirst(a: InputView, b: InputView): number {
  return b.run.queuedAt - a.run.queuedAt || newestIdFirst(a.run, b.run);
}
