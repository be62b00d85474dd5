import { describe, expect, test } from 'vitest';
import { parseRoute, href } from '#renderer/navigation/router.ts';
import { layoutGraph } from '#renderer/workflows/graph/graph-layout.ts';
import { describeSchedule } from '#renderer/workflows/describe-schedule.ts';
import type { WorkflowView } from '#shared/api/contract.ts';
import { failingHandlers } from '#shared/failing-handlers.ts';
import { handlerThatStopped, stoppedByFailure, stoppedInTheMiddle } from '#shared/stop-reason.ts';
import { WORKFLOW_SENTENCES } from '#renderer/text/status-labels.ts';
import { workflowState } from '#renderer/workflows/workflow-state.ts';
import { aWorkflow } from '#test/renderer/fake-host.ts';

const run = (handlerName: string, phase: 'committed' | 'failed' | 'preparing') => ({
  id: crypto.randomUUID(),
  handlerName,
  phase,
});

describe('the state of a workflow', () => {
  test('[WF-1] a handler whose last ended run failed is failing', () => {
    const recent = [
      run('a', 'preparing'),
      run('b', 'committed'),
      run('a', 'failed'),
      run('b', 'failed'),
    ];
    const known = { recent, retrying: [], waiting: [], pausedBecause: null };
    expect(failingHandlers(known)).toEqual(['a']);
    expect(failingHandlers({ ...known, recent: [run('a', 'committed'), ...recent] })).toEqual([]);
  });

  test('[WF-1] a handler that is retrying or stopped the workflow is failing', () => {
    const recent = [run('b', 'committed')];
    const known = { recent, retrying: ['a'], waiting: [], pausedBecause: null };
    expect(failingHandlers(known)).toEqual(['a']);
    const pausedBecause = stoppedByFailure('c', 'it failed', 'No such host.\nat line 3');
    expect(pausedBecause).toBe('"c": it failed: No such host.');
    expect(failingHandlers({ ...known, pausedBecause })).toEqual(['c', 'a']);
    expect(handlerThatStopped(stoppedInTheMiddle('d', 'x'))).toBe('d');
    // The text of earlier versions is still in databases.
    expect(handlerThatStopped('"d" cannot finish what it began: x')).toBe('d');
    for (const reason of [null, '', 'Until there is ink.', '"quoted" by a person']) {
      expect(handlerThatStopped(reason)).toBeNull();
    }
  });

  test('[WF-1] a workflow stopped by a failure differs from one that a person paused', () => {
    const failing = ['a'];
    const state = (more: Partial<WorkflowView>) => workflowState(aWorkflow('w', more));
    expect(state({ failing })).toBe('failing');
    expect(state({ failing, isBusy: true })).toBe('failing');
    expect(state({ failing, openQuestions: 1 })).toBe('waiting');
    expect(state({ failing, status: 'paused' })).toBe('paused');
    expect(state({ failing, status: 'paused', statusReason: 'Later.' })).toBe('paused');
    expect(state({ failing, status: 'paused', statusReason: '"a": it failed: x' })).toBe('stopped');
    expect(state({})).toBe('active');
    expect(state({ isBusy: true })).toBe('running');
  });

  test('[OH-6] a workflow that waits for a host is neither failing nor active', () => {
    const recent = [run('a', 'failed'), run('b', 'committed')];
    const known = { recent, retrying: [], waiting: ['a'], pausedBecause: null };
    expect(failingHandlers(known)).toEqual([]);
    expect(failingHandlers({ ...known, retrying: ['a'] })).toEqual(['a']);
    const waitsFor = [
      { handler: 'a', host: 'api.example.org', until: 1, since: 1, isNetwork: false },
    ];
    const state = (more: Partial<WorkflowView>) =>
      workflowState(aWorkflow('w', { waitsFor, ...more }));
    expect(state({})).toBe('held');
    expect(state({ isBusy: true })).toBe('running');
    expect(state({ status: 'paused' })).toBe('paused');
    expect(state({ failing: ['b'] })).toBe('failing');
    const offline = waitsFor.map((wait) => ({ ...wait, until: null, isNetwork: true }));
    expect(state({ waitsFor: offline })).toBe('offline');
  });

  test('[OW-17] a workflow that waits for its new owner is not called active', () => {
    const owner = {
      state: 'released',
      deviceId: 'd',
      isThisDevice: true,
      epoch: 1,
      toDeviceId: 'laptop-1',
    } as const;
    const workflow = aWorkflow('w', { owner });
    expect(workflowState(workflow)).toBe('released');
    expect(WORKFLOW_SENTENCES.released).toContain('no device runs it');
  });

  test.each([
    [{ every: '1h' }, 'Every hour'],
    [{ every: '30s' }, 'Every 30 seconds'],
    [
      { cron: '0 9 * * 1-5', timezone: 'Europe/Berlin' },
      'At 09:00, Monday through Friday (Europe/Berlin)',
    ],
    [{ cron: '*/15 * * * *' }, 'Every 15 minutes'],
    [{ cron: 'not a cron' }, 'not a cron'],
  ])('[WF-1] %j in words', (schedule, words) => {
    expect(describeSchedule(schedule)?.text).toBe(words);
  });

  test('[WF-1] an unknown schedule has no words', () => {
    expect(describeSchedule({ lunar: true })).toBeNull();
  });
});

describe('workflow URLs', () => {
  test('[WF-2] contain the tab and the selected node, and parse back', () => {
    const read = (address: string) => {
      const { pathname, search } = new URL(address, 'http://host');
      return parseRoute(pathname, search);
    };
    for (const tab of ['overview', 'graph', 'versions', 'edit'] as const) {
      expect(read(href.workflow('a/b', tab))).toEqual({
        page: 'workflow',
        workflowId: 'a/b',
        tab,
        node: null,
      });
    }
    const node = { kind: 'topic', name: 'a & b' } as const;
    expect(read(href.workflow('w', 'graph', node))).toMatchObject({ tab: 'graph', node });
    expect(read('/workflows/new')).toEqual({ page: 'new-workflow' });
    expect(read('/workflows/w/nothing')).toMatchObject({ page: 'unknown' });
  });
});

describe('the graph layout', () => {
  const shape = {
    topics: [{ name: 'a' }, { name: 'b' }, { name: 'lonely' }],
    handlers: [
      { name: 'make', kind: 'producer', subscribes: [], publishes: ['a'] },
      { name: 'there', kind: 'consumer', subscribes: ['a'], publishes: ['b'] },
      { name: 'back', kind: 'consumer', subscribes: ['b'], publishes: ['a'] },
    ],
    cycles: [['a', 'b']],
  } as const;
  const graph = {
    ...shape,
    cycles: shape.cycles.map((way) => [...way]),
    handlers: shape.handlers.map((one) => ({
      ...one,
      subscribes: [...one.subscribes],
      publishes: [...one.publishes],
    })),
  };

  test.each(['LR', 'TB'] as const)(
    '[WF-2] %s: nodes stay inside the graph and don’t overlap',
    (way) => {
      const { nodes, width, height } = layoutGraph(graph, way);
      expect(nodes.map(({ name }) => name).toSorted()).toEqual([
        'a',
        'b',
        'back',
        'lonely',
        'make',
        'there',
      ]);
      for (const [index, one] of nodes.entries()) {
        expect(one.x).toBeGreaterThanOrEqual(0);
        expect(one.x + one.width).toBeLessThanOrEqual(width);
        expect(one.y + one.height).toBeLessThanOrEqual(height);
        for (const other of nodes.slice(index + 1)) {
          const apart =
            one.x + one.width <= other.x ||
            other.x + other.width <= one.x ||
            one.y + one.height <= other.y ||
            other.y + other.height <= one.y;
          expect(apart, `${one.name} and ${other.name}`).toBe(true);
        }
      }
    },
  );

  test('[WF-2] only edges that are part of a cycle are marked', () => {
    const { edges } = layoutGraph(graph, 'LR');
    const round = edges.filter(({ isInCycle }) => isInCycle).map(({ id }) => id);
    expect(round.toSorted()).toEqual([
      'handler:back topic:a',
      'handler:there topic:b',
      'topic:a handler:there',
      'topic:b handler:back',
    ]);
    expect(edges).toHaveLength(5);
  });
});
