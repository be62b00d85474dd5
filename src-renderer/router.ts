// Which page is shown, by the address. Filters are part of it, so a link to a filtered list is a
// link like any other, and "back" goes back.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { SCRIPT_RUN_STATUSES, type ScriptRunStatus } from '#shared/machines/script-run.ts';

export interface RunFilter {
  readonly workflowId?: string | undefined;
  readonly status?: ScriptRunStatus | undefined;
}

export type Route =
  | { readonly page: 'workflows' }
  | { readonly page: 'runs'; readonly filter: RunFilter }
  | { readonly page: 'run'; readonly runId: string }
  | { readonly page: 'unknown'; readonly path: string };

export interface Router {
  readonly route: StoreApi<Route>;
  navigate(href: string, how?: 'push' | 'replace'): void;
  /** Follows "back" and "forward" until the returned function is called. */
  start(): () => void;
}

export const href = {
  workflows: (): string => '/workflows',
  runs(filter: RunFilter = {}): string {
    const query = new URLSearchParams();
    if (filter.workflowId !== undefined) query.set('workflow', filter.workflowId);
    if (filter.status !== undefined) query.set('status', filter.status);
    return query.size === 0 ? '/runs' : `/runs?${query.toString()}`;
  },
  run: (runId: string): string => `/runs/${encodeURIComponent(runId)}`,
} as const;

export function parseRoute(path: string, search: string): Route {
  if (path === '/' || path === '/index.html' || path === '/workflows') return { page: 'workflows' };
  if (path === '/runs') return { page: 'runs', filter: parseFilter(new URLSearchParams(search)) };
  const runId = /^\/runs\/([^/]+)$/.exec(path)?.[1];
  const decoded = runId === undefined ? null : decode(runId);
  return decoded === null ? { page: 'unknown', path } : { page: 'run', runId: decoded };
}

/** What it does not know, it leaves out: an old link still opens the list. */
function parseFilter(query: URLSearchParams): RunFilter {
  const workflowId = query.get('workflow');
  const status = SCRIPT_RUN_STATUSES.find((known) => known === query.get('status'));
  return { ...(workflowId ? { workflowId } : {}), ...(status ? { status } : {}) };
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
  const here = (): Route => parseRoute(page.location.pathname, page.location.search);
  if (page.location.pathname === '/') page.history.replaceState(null, '', href.workflows());
  const route = createStore<Route>(here);
  const follow = (): void => route.setState(here(), true);
  return {
    route,
    navigate(target, how = 'push') {
      if (how === 'push') page.history.pushState(null, '', target);
      else page.history.replaceState(null, '', target);
      follow();
    },
    start() {
      page.addEventListener('popstate', follow);
      return () => page.removeEventListener('popstate', follow);
    },
  };
}
