// @vitest-environment happy-dom
// Costs on the pages of a run, an input and a workflow.
import { cleanup, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aHandlerRun, aMutation, anInput, aWorkflow, FakeHost } from '#test/renderer/fake-host.ts';
import { giveElementsASize, showApp } from '#test/renderer/show.tsx';

/** The values of the facts with this name. */
const factsOf = (name: string): (string | null | undefined)[] =>
  screen
    .queryAllByText(name, { selector: 'dt' })
    .map((term) => term.nextElementSibling?.textContent);

async function show(path: string, title: string, fill: (host: FakeHost) => void): Promise<void> {
  const host = new FakeHost();
  fill(host);
  showApp(host, path);
  await screen.findByRole('heading', { level: 1, name: title });
}

describe('costs in the window', () => {
  beforeEach(() => {
    window.location.href = 'http://127.0.0.1:4317/';
    giveElementsASize();
  });
  afterEach(cleanup);

  test('[CO-11] the page of a run has the cost of its effect and of all its calls', async () => {
    const run = aHandlerRun('1', { cost: 1_012_300, mutation: aMutation({ cost: 1_000_000 }) });
    await show('/runs/1', 'Pay 1', (host) => (host.handlerRuns = [run]));
    expect(factsOf('Cost')).toEqual(['$1.00', '$1.0123']);
  });

  test('[CO-11] the page of an input has the cost of all its runs and of each', async () => {
    const step = {
      type: 'handler_run' as const,
      id: '1',
      parentId: null,
      at: 1,
      effect: null,
      log: [],
    };
    const run = aHandlerRun('1', { cost: 12_300 });
    const input = anInput('i', { cost: 24_600, steps: [{ ...step, run }] });
    await show('/inputs/i', 'Input i', (host) => (host.inputs = [input]));
    expect(factsOf('Cost')).toEqual(['$0.0246']);
    expect(screen.getByText(/ · \$0\.0123$/)).toBeTruthy();
  });

  test('[CO-11] the page of a workflow has the cost of today and of all runs', async () => {
    const workflow = aWorkflow('w', { name: 'Paid', cost: { today: 0, total: 3 } });
    await show('/workflows/w', 'Paid', (host) => (host.workflows = [workflow]));
    expect([factsOf('Cost today'), factsOf('Cost, all runs')]).toEqual([['$0.00'], ['$0.000003']]);
  });

  test('[CO-11] what costs nothing says nothing about costs', async () => {
    const fill = (host: FakeHost): void => {
      host.handlerRuns = [aHandlerRun('1')];
      host.inputs = [anInput('i')];
      host.workflows = [aWorkflow('w', { name: 'Free' })];
    };
    for (const [path, title] of [
      ['/runs/1', 'Pay 1'],
      ['/inputs/i', 'Input i'],
      ['/workflows/w', 'Free'],
    ] as const) {
      await show(path, title, fill);
      expect(screen.queryAllByText(/^Cost/)).toEqual([]);
      cleanup();
    }
  });
});
