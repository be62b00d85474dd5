// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CallName } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import { text } from '#renderer/text.ts';
import { aRun, aWorkflow, FakeHost } from '#test/renderer/fake-host.ts';
import { giveElementsASize, showApp } from '#test/renderer/show.tsx';

const inputsOf = (host: FakeHost, name: CallName) =>
  host.asked.filter((asked) => asked.name === name).map(({ input }) => input);
const LOST = new ApiError({ type: 'unreachable', message: 'No answer.' });

const showWorkflow = async (activeRunId: string | null = null) => {
  const host = new FakeHost();
  host.workflows = [aWorkflow('a', { name: 'Invoices', activeRunId })];
  host.runs = [aRun('run 1')];
  showApp(host, '/workflows');
  const start = await screen.findByRole('button', { name: 'Start run of Invoices' });
  return { host, start };
};

describe('one act', () => {
  beforeEach(() => {
    window.location.href = 'http://127.0.0.1:4317/';
    giveElementsASize();
  });
  afterEach(cleanup);

  test('[UI-6] a button pressed three times at once asks once', async () => {
    const { host, start } = await showWorkflow();
    host.hold();
    for (let press = 0; press < 3; press += 1) fireEvent.click(start);
    expect(inputsOf(host, 'runs.start')).toHaveLength(1);
    host.release();
    await waitFor(() => expect(window.location.pathname).toBe('/runs/run%201'));
    expect(inputsOf(host, 'runs.start')).toHaveLength(1);
  });

  test('[UI-6] after a lost answer, pressing again is the same act', async () => {
    const { host, start } = await showWorkflow();
    host.failures.set('runs.start', LOST);
    fireEvent.click(start);
    await screen.findByText('No answer.');
    host.failures.clear();
    fireEvent.click(start);
    await waitFor(() => expect(inputsOf(host, 'runs.start')).toHaveLength(2));
    const [first, second] = inputsOf(host, 'runs.start');
    expect(first?.['startRequestId']).toMatch(/^manual:[0-9a-f-]{36}$/);
    expect(second?.['startRequestId']).toBe(first?.['startRequestId']);
  });

  test('[UI-6] after a plain refusal, pressing again is another act', async () => {
    const { host, start } = await showWorkflow();
    host.failures.set('runs.start', new ApiError({ type: 'conflict', message: 'One is active.' }));
    fireEvent.click(start);
    await screen.findByText('One is active.');
    fireEvent.click(start);
    await waitFor(() => expect(inputsOf(host, 'runs.start')).toHaveLength(2));
    const ids = inputsOf(host, 'runs.start').map((input) => input['startRequestId']);
    expect(new Set(ids).size).toBe(2);
  });

  test('a conflict leads to the run that is in the way', async () => {
    const { host, start } = await showWorkflow('run 1');
    host.failures.set('runs.start', new ApiError({ type: 'conflict', message: 'One is active.' }));
    fireEvent.click(start);
    const link = await screen.findByRole('link', { name: text.workflows.openActiveRun });
    expect(link.getAttribute('href')).toBe('/runs/run%201');
  });

  test('[UI-6] a form is one request, however often it is sent', async () => {
    const { host } = await showWorkflow();
    fireEvent.click(screen.getByRole('button', { name: text.workflows.create }));
    const name = await screen.findByRole('textbox', { name: /Name/ });
    fireEvent.change(name, { target: { value: 'Mails' } });
    const form = name.closest('form');
    if (!form) throw new Error('The field is in no form.');
    host.failures.set('workflows.create', new ApiError({ type: 'busy', message: 'Later.' }));
    fireEvent.submit(form);
    fireEvent.submit(form);
    await screen.findByText('Later.');
    host.failures.clear();
    fireEvent.submit(form);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const inputs = inputsOf(host, 'workflows.create');
    expect(inputs).toHaveLength(2);
    expect(inputs[0]).toMatchObject({ name: 'Mails' });
    expect(inputs[1]?.['requestId']).toBe(inputs[0]?.['requestId']);
  });

  test('[UI-6] the end of a run is one terminal event for each time the dialog is opened', async () => {
    const host = new FakeHost();
    host.runs = [aRun('run 1')];
    showApp(host, '/runs/run%201');
    const endRun = async (): Promise<void> => {
      fireEvent.click(await screen.findByRole('button', { name: text.endRun.open }));
      fireEvent.click(await screen.findByRole('radio', { name: /Canceled/ }));
      const send = screen.getByRole('button', { name: text.endRun.submit });
      fireEvent.submit(send.closest('form') ?? send);
      fireEvent.submit(send.closest('form') ?? send);
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    };
    await endRun();
    const [input] = inputsOf(host, 'runs.finish');
    expect(input).toMatchObject({ runId: 'run 1', status: 'canceled' });
    expect(input).not.toHaveProperty('error');
    await endRun();
    const ids = inputsOf(host, 'runs.finish').map(({ terminalEventId }) => terminalEventId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
  });
});
