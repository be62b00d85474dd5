// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from 'vitest';
import { createRouter, href, parseRoute } from '#renderer/router.ts';

describe('the router', () => {
  beforeEach(() => {
    window.location.href = 'http://127.0.0.1:4317/';
  });

  test('the root is the workflows page, under its own address', () => {
    const router = createRouter(window);
    expect(router.route.getState()).toEqual({ page: 'workflows' });
    expect(window.location.pathname).toBe('/workflows');
  });

  test.each([
    ['/workflows', '', { page: 'workflows' }],
    ['/runs', '', { page: 'runs', filter: {} }],
    [
      '/runs',
      '?workflow=a%2Fb&status=failed',
      { page: 'runs', filter: { workflowId: 'a/b', status: 'failed' } },
    ],
    ['/runs', '?status=nonsense', { page: 'runs', filter: {} }],
    ['/runs/abc', '', { page: 'run', runId: 'abc' }],
    ['/runs/a%2Fb', '', { page: 'run', runId: 'a/b' }],
    ['/runs/%E0%A4%A', '', { page: 'unknown', path: '/runs/%E0%A4%A' }],
    ['/elsewhere', '', { page: 'unknown', path: '/elsewhere' }],
  ])('reads %s%s', (path, search, route) => {
    expect(parseRoute(path, search)).toEqual(route);
  });

  test('what href writes, parseRoute reads', () => {
    const ids = ['plain', 'a/b', 'ä ?#&=', '%'];
    for (const id of ids) {
      const run = new URL(href.run(id), 'http://x');
      expect(parseRoute(run.pathname, run.search)).toEqual({ page: 'run', runId: id });
      const runs = new URL(href.runs({ workflowId: id, status: 'timed_out' }), 'http://x');
      const filter = { workflowId: id, status: 'timed_out' };
      expect(parseRoute(runs.pathname, runs.search)).toEqual({ page: 'runs', filter });
    }
  });

  test('navigates, and follows "back"', () => {
    const router = createRouter(window);
    const stop = router.start();
    router.navigate('/runs?status=failed');
    expect(router.route.getState()).toEqual({ page: 'runs', filter: { status: 'failed' } });
    history.replaceState(null, '', '/runs/abc');
    window.dispatchEvent(new PopStateEvent('popstate'));
    expect(router.route.getState()).toEqual({ page: 'run', runId: 'abc' });
    stop();
  });
});
