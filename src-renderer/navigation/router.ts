// Maps URLs to pages. Filters are part of the URL, so a filtered list can be linked to and Back
// works.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { MAX_SEARCH_LENGTH, RUN_STATES, type RunState } from '#shared/api/run-search.ts';
import { RUNNER_JOB_STATUSES, type RunnerJobStatus } from '#shared/machines/runner-job.ts';
import { SCRIPT_RUN_STATUSES, type ScriptRunStatus } from '#shared/session-enums.ts';
import {
  WEBHOOKS_PATH,
  inputHref,
  inputsHref,
  parseInputRoute,
  type InputRoute,
} from '#renderer/navigation/input-route.ts';
import { withoutUndefined } from '#renderer/format/without-undefined.ts';
import { parseTimeRange, timeRangeQuery, type TimeRange } from '#renderer/format/time-range.ts';
import { withQuery } from '#renderer/navigation/with-query.ts';
import { SETTINGS_SECTIONS, type SettingsSection } from '#renderer/text/settings-text.ts';
import {
  NEW_WORKFLOW_PATH,
  parseWorkflowRoute,
  workflowHref,
  type WorkflowRoute,
} from '#renderer/navigation/workflow-route.ts';

export interface RunFilter extends TimeRange {
  readonly workflowId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly deviceId?: string | undefined;
  readonly state?: RunState | undefined;
  readonly text?: string | undefined;
}

export interface SessionFilter {
  readonly workflowId?: string | undefined;
  readonly status?: ScriptRunStatus | undefined;
}

export interface JobFilter {
  readonly status?: RunnerJobStatus | undefined;
}

export const PAIRING_METHODS = ['link', 'join', 'nearby'] as const;
export type PairingMethod = (typeof PAIRING_METHODS)[number];

export type Route =
  /** Opens the inbox if an item needs the person. */
  | { readonly page: 'start' }
  | { readonly page: 'inbox' }
  | { readonly page: 'workflows' }
  | WorkflowRoute
  | InputRoute
  | { readonly page: 'runs'; readonly filter: RunFilter }
  | { readonly page: 'run'; readonly runId: string }
  | { readonly page: 'sessions'; readonly filter: SessionFilter }
  | { readonly page: 'session'; readonly runId: string }
  | { readonly page: 'jobs'; readonly filter: JobFilter }
  | { readonly page: 'job'; readonly jobId: string }
  | { readonly page: 'scripts' }
  /** `from` is a job whose arguments prefill the form. */
  | { readonly page: 'script'; readonly scriptKey: string; readonly from?: string | undefined }
  | { readonly page: 'registry' }
  | { readonly page: 'devices' }
  | {
      readonly page: 'pairing';
      readonly method: PairingMethod;
      /** A pairing link opened from outside. */
      readonly link?: string | undefined;
    }
  | { readonly page: 'metrics' }
  | { readonly page: 'settings'; readonly section: SettingsSection }
  | { readonly page: 'unknown'; readonly path: string };

export interface Router {
  readonly route: StoreApi<Route>;
  navigate(href: string, mode?: 'push' | 'replace'): void;
  /** Follows Back and Forward until the returned function is called. */
  start(): () => void;
}

export const href = {
  inbox: (): string => '/inbox',
  workflows: (): string => '/workflows',
  workflow: workflowHref,
  newWorkflow: (): string => NEW_WORKFLOW_PATH,
  inputs: inputsHref,
  input: inputHref,
  webhooks: (): string => WEBHOOKS_PATH,
  runs: (filter: RunFilter = {}): string =>
    withQuery('/runs', {
      q: filter.text,
      state: filter.state,
      workflow: filter.workflowId,
      device: filter.deviceId,
      ...timeRangeQuery(filter),
      session: filter.sessionId,
    }),
  run: (runId: string): string => `/runs/${encodeURIComponent(runId)}`,
  sessions: ({ workflowId, status }: SessionFilter = {}): string =>
    withQuery('/sessions', { workflow: workflowId, status }),
  session: (runId: string): string => `/sessions/${encodeURIComponent(runId)}`,
  jobs: ({ status }: JobFilter = {}): string => withQuery('/jobs', { status }),
  job: (jobId: string): string => `/jobs/${encodeURIComponent(jobId)}`,
  scripts: (): string => '/scripts',
  script: (scriptKey: string, from?: string): string =>
    withQuery(`/scripts/${encodeURIComponent(scriptKey)}`, { from }),
  registry: (): string => '/registry',
  devices: (): string => '/devices',
  pairing: (way: PairingMethod): string => `/devices/${way}`,
  /** Not /metrics, where the host serves Prometheus. */
  metrics: (): string => '/activity',
  settings: (section: SettingsSection = 'data'): string => `/settings/${section}`,
} as const;

export function parseRoute(path: string, search: string): Route {
  const query = new URLSearchParams(search);
  switch (path) {
    case '/':
    case '/index.html':
      return { page: 'start' };
    case '/inbox':
      return { page: 'inbox' };
    case '/workflows':
      return { page: 'workflows' };
    case '/runs':
      return { page: 'runs', filter: parseRunFilter(query) };
    case '/sessions':
      return { page: 'sessions', filter: parseSessionFilter(query) };
    case '/jobs':
      return { page: 'jobs', filter: parseJobFilter(query) };
    case '/scripts':
      return { page: 'scripts' };
    case '/registry':
      return { page: 'registry' };
    case '/devices':
      return { page: 'devices' };
    case '/activity':
      return { page: 'metrics' };
    case '/settings':
      return { page: 'settings', section: 'data' };
    default:
      return (
        parseWorkflowRoute(path, query, decode) ??
        parseInputRoute(path, query, decode) ??
        parseSubPage(path, query) ??
        parseDetailPage(path) ?? { page: 'unknown', path }
      );
  }
}

function parseSubPage(path: string, query: URLSearchParams): Route | null {
  const [, kind, part] = /^\/(devices|settings|scripts)\/([^/]+)$/.exec(path) ?? [];
  const name = part === undefined ? null : decode(part);
  if (name === null) return null;
  if (kind === 'scripts') {
    return { page: 'script', scriptKey: name, from: query.get('from') ?? undefined };
  }
  const method = PAIRING_METHODS.find((one) => one === name);
  if (kind === 'devices' && method)
    return { page: 'pairing', method, link: query.get('link') ?? undefined };
  const section = SETTINGS_SECTIONS.find((one) => one === name);
  return kind === 'settings' && section ? { page: 'settings', section } : null;
}

function parseDetailPage(path: string): Route | null {
  const [, kind, id] = /^\/(runs|sessions|jobs)\/([^/]+)$/.exec(path) ?? [];
  const runId = id === undefined ? null : decode(id);
  if (runId === null) return null;
  if (kind === 'jobs') return { page: 'job', jobId: runId };
  return kind === 'runs' ? { page: 'run', runId } : { page: 'session', runId };
}

/** Ignores unknown values, so that old links still open the list. */
function parseSessionFilter(query: URLSearchParams): SessionFilter {
  return withoutUndefined({
    workflowId: query.get('workflow') || undefined,
    status: SCRIPT_RUN_STATUSES.find((known) => known === query.get('status')),
  });
}

function parseJobFilter(query: URLSearchParams): JobFilter {
  const status = RUNNER_JOB_STATUSES.find((known) => known === query.get('status'));
  return status ? { status } : {};
}

function parseRunFilter(query: URLSearchParams): RunFilter {
  return withoutUndefined({
    workflowId: query.get('workflow') || undefined,
    sessionId: query.get('session') || undefined,
    deviceId: query.get('device') || undefined,
    state: RUN_STATES.find((known) => known === query.get('state')),
    ...parseTimeRange(query),
    text: query.get('q')?.slice(0, MAX_SEARCH_LENGTH).trim() || undefined,
  });
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

type Page = Pick<Window, 'location' | 'history' | 'addEventListener' | 'removeEventListener'>;

export function createRouter(page: Page): Router {
  const currentRoute = (): Route => parseRoute(page.location.pathname, page.location.search);
  const route = createStore<Route>(currentRoute);
  const syncRoute = (): void => route.setState(currentRoute(), true);
  return {
    route,
    navigate(target, mode = 'push') {
      if (mode === 'push') page.history.pushState(null, '', target);
      else page.history.replaceState(null, '', target);
      syncRoute();
    },
    start() {
      page.addEventListener('popstate', syncRoute);
      return () => page.removeEventListener('popstate', syncRoute);
    },
  };
}
