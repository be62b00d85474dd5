// URLs for inputs: the list with its filters, one input, and hooks.
import { INPUT_KINDS, type InputKind } from '#shared/inputs/kinds.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import {
  AUTOMATION_RUN_STATUSES,
  type AutomationRunStatus,
} from '#shared/machines/automation-run.ts';
import { withoutUndefined } from '#renderer/format/without-undefined.ts';
import { parseTimeRange, timeRangeQuery, type TimeRange } from '#renderer/format/time-range.ts';
import { withQuery } from '#renderer/navigation/with-query.ts';

export interface InputFilter extends TimeRange {
  readonly workflowId?: string | undefined;
  readonly kind?: InputKind | undefined;
  /** Name of a hook, producer or sender. */
  readonly source?: string | undefined;
  readonly status?: AutomationRunStatus | undefined;
  readonly text?: string | undefined;
}

export type InputRoute =
  | { readonly page: 'inputs'; readonly filter: InputFilter }
  | { readonly page: 'input'; readonly inputId: string }
  | { readonly page: 'hooks' };

export const WEBHOOKS_PATH = '/inputs/hooks';

export const inputsHref = (filter: InputFilter = {}): string =>
  withQuery('/inputs', {
    q: filter.text,
    state: filter.status,
    workflow: filter.workflowId,
    kind: filter.kind,
    source: filter.source,
    ...timeRangeQuery(filter),
  });

export const inputHref = (inputId: string): string => `/inputs/${encodeURIComponent(inputId)}`;

export function parseInputRoute(
  path: string,
  query: URLSearchParams,
  decode: (text: string) => string | null,
): InputRoute | null {
  if (path === '/inputs') return { page: 'inputs', filter: parseFilter(query) };
  if (path === WEBHOOKS_PATH) return { page: 'hooks' };
  const [, id] = /^\/inputs\/([^/]+)$/.exec(path) ?? [];
  const inputId = id === undefined ? null : decode(id);
  return inputId === null ? null : { page: 'input', inputId };
}

/** Ignores unknown values, so that old links still open the list. */
function parseFilter(query: URLSearchParams): InputFilter {
  return withoutUndefined({
    workflowId: query.get('workflow') || undefined,
    kind: INPUT_KINDS.find((known) => known === query.get('kind')),
    source: query.get('source')?.slice(0, MAX_NAME_LENGTH) || undefined,
    status: AUTOMATION_RUN_STATUSES.find((known) => known === query.get('state')),
    ...parseTimeRange(query),
    text: query.get('q')?.slice(0, MAX_NAME_LENGTH).trim() || undefined,
  });
}
