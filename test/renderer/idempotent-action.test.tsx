// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CallName } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import { text } from '#renderer/text/text.ts';
import { aRun, aWorkflow, FakeHost } from '#test/renderer/fake-host.ts';
import { giveElementsASize, showApp } from '#test/renderer/show.tsx';

const inputsOf = (host: FakeHost, name: CallName) =>
  host.asked.filter((asked) => asked.name === name).map(({ input }) => input);
const LOST = new ApiError({ type: 'unreachable', message: 'No reply.' });

const showWorkflow = async () => {
  const host = new FakeHost();
  const producers = [{ name: 'fetch', schedule: { every: '1h' }, nextRunAt: null }];
  host.workflows = [aWorkflow('a', { name: 'Invoices', producers })];
  showApp(host, '/workflows');
  const run = await screen.findByRole('button', { name: 'Run now fetch' });
  return { host, run };
};

describe('idempotent actions', () => {
  beforeEach(() => {
    window.location.href = 'http://127.0.0.1:4317/';
    giveElementsASize();
  });
  afterEach(cleanup);

  test('[UI-6] three quick presses of a button send one request', async () => {
    const { host, run } = await showWorkflow();
    host.hold();
    for (let press = 0; press < 3; press += 1) fireEvent.click(run);
    expect(inputsOf(host, 'workflows.runNow')).toHaveLength(1);
    host.release();
    await screen.findByText(text.workflows.asked);
    expect(inputsOf(host, 'workflows.runNow')).toEqual([
      { workflowId: 'a', producer: 'fetch', requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ]);
  });

  test('[UI-6] a press after a lost reply reuses the request id', async () => {
    const { host, run } = await showWorkflow();
    host.failures.set('workflows.runNow', LOST);
    fireEvent.click(run);
    await screen.findByText('No reply.');
    host.failures.clear();
    fireEvent.click(run);
    await waitFor(() => expect(inputsOf(host, 'workflows.runNow')).toHaveLength(2));
    const [first, second] = inputsOf(host, 'workflows.runNow');
    expect(second?.['requestId']).toBe(first?.['requestId']);
  });

  test('[UI-6] a press after a definite reply uses a new request id', async () => {
    const { host, run } = await showWorkflow();
    fireEvent.click(run);
    await screen.findByText(text.workflows.asked);
    fireEvent.click(run);
    await waitFor(() => expect(inputsOf(host, 'workflows.runNow')).toHaveLength(2));
    const ids = inputsOf(host, 'workflows.runNow').map((input) => input['requestId']);
    expect(new Set(ids).size).toBe(2);
  });

  test('[UI-6] a form sends one request at a time and shows where a file is wrong', async () => {
    const { host } = await showWorkflow();
    fireEvent.click(screen.getByRole('button', { name: text.workflows.add }));
    const path = await screen.findByRole('textbox', { name: /File/ });
    fireEvent.change(path, { target: { value: ' /home/me/flow.ts ' } });
    const form = path.closest('form');
    if (!form) throw new Error('The field isn’t in a form.');
    host.failures.set(
      'workflows.add',
      new ApiError({
        type: 'invalid_input',
        message: 'Not added: flow.ts:3:7: no such topic',
        problems: ['flow.ts:3:7: no such topic', 'flow.ts:9:1: two consumers'],
      }),
    );
    fireEvent.submit(form);
    fireEvent.submit(form);
    expect(await screen.findByText('flow.ts:3:7')).toBeTruthy();
    expect(screen.getByText('two consumers')).toBeTruthy();
    expect(inputsOf(host, 'workflows.add')).toEqual([{ path: '/home/me/flow.ts' }]);
    host.failures.clear();
    fireEvent.submit(form);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(inputsOf(host, 'workflows.add')).toHaveLength(2);
  });

  test('a pause is requested, and shown only once the host confirms it', async () => {
    const { host } = await showWorkflow();
    fireEvent.click(screen.getByRole('button', { name: 'Pause Invoices' }));
    await waitFor(() => expect(inputsOf(host, 'workflows.pause')).toEqual([{ workflowId: 'a' }]));
    expect(screen.getByText('Active')).toBeTruthy();
    host.workflows = [aWorkflow('a', { name: 'Invoices', status: 'paused', isBusy: true })];
    act(() => host.changed('workflows', ['a']));
    expect(await screen.findByText('Pausing')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Resume Invoices' }));
    await waitFor(() => expect(inputsOf(host, 'workflows.resume')).toEqual([{ workflowId: 'a' }]));
  });

  test('a draft is activated on request', async () => {
    const host = new FakeHost();
    host.workflows = [aWorkflow('a', { name: 'Invoices', draftScriptId: 'new' })];
    showApp(host, '/workflows');
    expect(await screen.findByText(text.workflows.draft)).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Activate Invoices' }));
    await waitFor(() =>
      expect(inputsOf(host, 'workflows.activate')).toEqual([{ workflowId: 'a' }]),
    );
  });

  test('[EN-31] a draft that leaves events behind is activated only after a second press that says so', async () => {
    const host = new FakeHost();
    host.workflows = [aWorkflow('a', { name: 'Invoices', draftScriptId: 'new' })];
    host.failures.set(
      'workflows.activate',
      new ApiError({ type: 'conflict', reason: 'leaves_behind', message: '2 events wait.' }),
    );
    showApp(host, '/workflows');
    fireEvent.click(await screen.findByRole('button', { name: 'Activate Invoices' }));
    expect(await screen.findByText('2 events wait.')).toBeTruthy();
    host.failures.clear();
    fireEvent.click(screen.getByRole('button', { name: 'Activate anyway Invoices' }));
    await waitFor(() =>
      expect(inputsOf(host, 'workflows.activate')).toEqual([
        { workflowId: 'a' },
        { workflowId: 'a', leaveBehind: true },
      ]),
    );
  });

  test('[AU-10] a file with the name of another workflow can be linked to it', async () => {
    const { host } = await showWorkflow();
    fireEvent.click(screen.getByRole('button', { name: text.workflows.add }));
    const path = await screen.findByRole('textbox', { name: /File/ });
    fireEvent.change(path, { target: { value: '/home/me/new.ts' } });
    host.failures.set(
      'workflows.add',
      new ApiError({ type: 'conflict', reason: 'name_in_use', message: 'The same name.' }),
    );
    fireEvent.submit(path.closest('form') as HTMLFormElement);
    const link = await screen.findByRole('button', { name: text.addWorkflow.link });
    host.failures.clear();
    fireEvent.click(link);
    await waitFor(() =>
      expect(inputsOf(host, 'workflows.add').at(-1)).toEqual({
        path: '/home/me/new.ts',
        link: true,
      }),
    );
  });

  test('[UI-6] each opening of the dialog sends one terminal event for a session', async () => {
    const host = new FakeHost();
    // The engine ends the sessions of the main lane itself.
    host.runs = [aRun('run 1', { lane: 'draft' })];
    showApp(host, '/sessions/run%201');
    const endSession = async (): Promise<void> => {
      fireEvent.click(await screen.findByRole('button', { name: text.endSession.open }));
      fireEvent.click(await screen.findByRole('radio', { name: /Canceled/ }));
      const send = screen.getByRole('button', { name: text.endSession.submit });
      fireEvent.submit(send.closest('form') ?? send);
      fireEvent.submit(send.closest('form') ?? send);
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    };
    await endSession();
    const [input] = inputsOf(host, 'runs.finish');
    expect(input).toMatchObject({ runId: 'run 1', status: 'canceled' });
    expect(input).not.toHaveProperty('error');
    await endSession();
    const ids = inputsOf(host, 'runs.finish').map(({ terminalEventId }) => terminalEventId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
  });
});
