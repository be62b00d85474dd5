// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from 'vitest';
import { createRouter, href, parseRoute } from '#renderer/navigation/router.ts';

describe('the router', () => {
  beforeEach(() => {
    window.location.href = 'http://127.0.0.1:4317/';
  });

  test('the root is the start page', () => {
    expect(createRouter(window).route.getState()).toEqual({ page: 'start' });
  });

  test.each([
    ['/workflows', '', { page: 'workflows' }],
    ['/inbox', '', { page: 'inbox' }],
    ['/inputs', '', { page: 'inputs', filter: {} }],
    [
      '/inputs',
      '?q=a+b&state=needs_human&workflow=w&kind=webhook&source=s&since=7d',
      {
        page: 'inputs',
        filter: {
          text: 'a b',
          status: 'needs_human',
          workflowId: 'w',
          kind: 'webhook',
          source: 's',
          period: '7d',
        },
      },
    ],
    ['/inputs', '?state=nonsense&kind=x&since=y', { page: 'inputs', filter: {} }],
    ['/inputs/a%2Fb', '', { page: 'input', inputId: 'a/b' }],
    ['/inputs/hooks', '', { page: 'hooks' }],
    ['/activity', '', { page: 'metrics' }],
    ['/runs', '', { page: 'runs', filter: {} }],
    [
      '/runs',
      '?workflow=a%2Fb&session=s',
      { page: 'runs', filter: { workflowId: 'a/b', sessionId: 's' } },
    ],
    [
      '/sessions',
      '?workflow=a%2Fb&status=failed',
      { page: 'sessions', filter: { workflowId: 'a/b', status: 'failed' } },
    ],
    ['/sessions', '?status=nonsense', { page: 'sessions', filter: {} }],
    ['/sessions/abc', '', { page: 'session', runId: 'abc' }],
    ['/runs/abc', '', { page: 'run', runId: 'abc' }],
    ['/runs/a%2Fb', '', { page: 'run', runId: 'a/b' }],
    ['/runs/%E0%A4%A', '', { page: 'unknown', path: '/runs/%E0%A4%A' }],
    ['/elsewhere', '', { page: 'unknown', path: '/elsewhere' }],
  ])('reads %s%s', (path, search, route) => {
    expect(parseRoute(path, search)).toEqual(route);
  });

  test('parseRoute reads what href writes', () => {
    const ids = ['plain', 'a/b', 'ä ?#&=', '%'];
    for (const id of ids) {
      const run = new URL(href.run(id), 'http://x');
      expect(parseRoute(run.pathname, run.search)).toEqual({ page: 'run', runId: id });
      const session = new URL(href.session(id), 'http://x');
      expect(parseRoute(session.pathname, session.search)).toEqual({ page: 'session', runId: id });
      const runs = new URL(href.runs({ workflowId: id, sessionId: id }), 'http://x');
      const ofBoth = { workflowId: id, sessionId: id };
      expect(parseRoute(runs.pathname, runs.search)).toEqual({ page: 'runs', filter: ofBoth });
      const sessions = new URL(href.sessions({ workflowId: id, status: 'timed_out' }), 'http://x');
      const filter = { workflowId: id, status: 'timed_out' };
      expect(parseRoute(sessions.pathname, sessions.search)).toEqual({ page: 'sessions', filter });
    }
  });

  test('navigates, and follows popstate', () => {
    const router = createRouter(window);
    const stop = router.start();
    router.navigate('/sessions?status=failed');
    expect(router.route.getState()).toEqual({ page: 'sessions', filter: { status: 'failed' } });
    history.replaceState(null, '', '/runs/abc');
    window.dispatchEvent(new PopStateEvent('popstate'));
    expect(router.route.getState()).toEqual({ page: 'run', runId: 'abc' });
    stop();
  });
});
